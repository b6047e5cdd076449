#include "plumb/base/safetensors.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// One tensor of every type, deliberately out of order, with the sums known by hand.
struct Sample {
  std::vector<double> f64 = {0.5, -1.25, 1e300};
  std::vector<float> f32 = {1, 2, 3, 4, 5, 0.5f};
  std::vector<float> bias = {-1, 1};
  std::vector<uint16_t> f16 = {0x3C00, 0xC000, 0x3800};   // 1, -2, 0.5
  std::vector<uint16_t> bf16 = {0x3F80, 0x4040, 0xBF00};  // 1, 3, -0.5
  std::vector<int64_t> i64 = {1, -2, 1LL << 40};
  std::vector<int32_t> i32 = {-7};
  std::vector<int16_t> i16 = {-300, 299};
  std::vector<int8_t> i8 = {-128, 127, 1};
  std::vector<uint8_t> u8 = {255, 1};
  std::vector<uint8_t> flags = {1, 0, 1, 1};

  std::vector<TensorSource> sources() const {
    return {{"flags", DType::Bool, {2, 2}, bytes_of(flags)},
            {"u8", DType::U8, {2}, bytes_of(u8)},
            {"weight", DType::F32, {2, 3}, bytes_of(f32)},
            {"bias", DType::F32, {2}, bytes_of(bias)},
            {"i8", DType::I8, {3, 1}, bytes_of(i8)},
            {"half", DType::F16, {3}, bytes_of(f16)},
            {"brain", DType::BF16, {1, 3}, bytes_of(bf16)},
            {"double", DType::F64, {3}, bytes_of(f64)},
            {"i64", DType::I64, {3}, bytes_of(i64)},
            {"scalar", DType::I32, {}, bytes_of(i32)},
            {"i16", DType::I16, {2}, bytes_of(i16)},
            {"empty", DType::F32, {0, 7}, {}},
            {"Grüße \"\\\n", DType::U8, {0}, {}}};
  }
};

const std::map<std::string, double> kSums = {{"flags", 3},        {"u8", 256},    {"weight", 15.5}, {"bias", 0},
                                             {"i8", 0},           {"half", -0.5}, {"brain", 3.5},   {"double", 1e300},
                                             {"i64", 0x1p40 - 1}, {"scalar", -7}, {"i16", -1},      {"empty", 0},
                                             {"Grüße \"\\\n", 0}};

TEST(Safetensors, ReadsBackWhatItWrote) {
  const TemporaryDirectory directory;
  const Sample sample;
  write_safetensors(directory / "a.safetensors", sample.sources(), {{"format", "pt"}, {"step", "12"}});

  const SafetensorsReader reader(directory / "a.safetensors");
  EXPECT_EQ(reader.metadata(), (Metadata{{"format", "pt"}, {"step", "12"}}));
  ASSERT_EQ(reader.tensors().size(), sample.sources().size());
  for (const TensorSource& source : sample.sources()) {
    const TensorEntry* entry = reader.find(source.name);
    ASSERT_NE(entry, nullptr) << source.name;
    EXPECT_EQ(entry->name, source.name);
    EXPECT_EQ(entry->dtype, source.dtype);
    EXPECT_EQ(entry->shape, source.shape);
    std::vector<std::byte> bytes(entry->size());
    reader.read(*entry, bytes);
    EXPECT_TRUE(std::ranges::equal(bytes, source.bytes)) << source.name;
  }
  EXPECT_EQ(reader.find("absent"), nullptr);
  EXPECT_EQ(reader.find(""), nullptr);
}

TEST(Safetensors, OrdersTensorsByDescendingTypeThenName) {
  const TemporaryDirectory directory;
  const Sample sample;
  write_safetensors(directory / "a", sample.sources());
  std::vector<std::string> names;
  const SafetensorsReader reader(directory / "a");
  for (const TensorEntry& entry : reader.tensors()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"i64", "double", "bias", "empty", "weight", "scalar", "brain", "half",
                                             "i16", "i8", "Grüße \"\\\n", "u8", "flags"}));
}

// The bytes of huggingface/safetensors' own tests test_serialization_forced_alignement and test_empty.
TEST(Safetensors, WritesTheBytesOfTheReferenceImplementation) {
  const TemporaryDirectory directory;
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  write_safetensors(directory / "a", std::vector<TensorSource>{{"attn0", DType::F32, {1, 1, 2, 3}, bytes_of(values)}},
                    {});
  const std::string header = R"({"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}       )";
  const std::string data(reinterpret_cast<const char*>(values.data()), 24);
  EXPECT_EQ(read_all(directory / "a"), std::string("\x48\0\0\0\0\0\0\0", 8) + header + data);

  write_safetensors(directory / "b", {}, {});
  EXPECT_EQ(read_all(directory / "b"), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  write_safetensors(directory / "c", {}, {{"framework", "pt"}});
  EXPECT_EQ(read_all(directory / "c"),
            std::string("\x28\0\0\0\0\0\0\0", 8) + R"({"__metadata__":{"framework":"pt"}}     )");
}

TEST(Safetensors, MarksItsFilesAsTransformersDoes) {
  const TemporaryDirectory directory;
  write_safetensors(directory / "a", {});
  EXPECT_EQ(SafetensorsReader(directory / "a").metadata(), (Metadata{{"format", "pt"}}));
}

TEST(Safetensors, ReadsFilesOfOtherWritersInAnyOrderAndSpacing) {
  const TemporaryDirectory directory;
  const std::string header =
      "{ \"b\" : {\"data_offsets\":[1,3],\n\t\"shape\":[ 2 ], \"dtype\":\"U8\"},\"\\u0061\":"
      "{\"dtype\":\"BOOL\",\"shape\":[],\"data_offsets\":[0,1]},\"__metadata__\":{}} \r\n";
  write_all(directory / "a", std::string{static_cast<char>(header.size())} + std::string(7, '\0') + header + "\1xy");
  const SafetensorsReader reader(directory / "a");
  ASSERT_EQ(reader.tensors().size(), 2u);
  EXPECT_EQ(reader.tensors()[0].name, "a");
  std::vector<std::byte> bytes(2);
  reader.read(*reader.find("b"), bytes);
  EXPECT_EQ(bytes[0], std::byte{'x'});
  EXPECT_THROW(reader.read(*reader.find("a"), bytes), std::logic_error);  // a buffer of another size
}

TEST(Safetensors, SatisfiesAnIndependentReader) {
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0) GTEST_SKIP() << "python3 is not installed";
  const TemporaryDirectory directory;
  const Sample sample;
  nlohmann::json expected;
  for (const TensorSource& source : sample.sources()) {
    expected[source.name] = {
        {"dtype", dtype_name(source.dtype)}, {"shape", source.shape}, {"sum", kSums.at(source.name)}};
  }
  write_all(directory / "expected.json", expected.dump());
  write_safetensors(directory / "a", sample.sources());
  const std::string command = fmt::format("python3 '{}/tests/base/check_safetensors.py' '{}' '{}' > '{}'",
                                          PLUMB_SOURCE_DIR, (directory / "a").string(),
                                          (directory / "expected.json").string(), (directory / "found.json").string());
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(nlohmann::json::parse(read_all(directory / "found.json")), expected);

  // The checker itself must be able to say no.
  std::string damaged = read_all(directory / "a");
  damaged.pop_back();
  write_all(directory / "a", damaged);
  EXPECT_NE(std::system((command + " 2>/dev/null").c_str()), 0);
}

TEST(Safetensors, RefusesToWriteWhatItCouldNotRead) {
  const TemporaryDirectory directory;
  const std::vector<float> two = {1, 2};
  const auto write = [&](std::vector<TensorSource> tensors, const Metadata& metadata = {}) {
    write_safetensors(directory / "a", tensors, metadata);
  };
  const auto bytes = bytes_of(two);
  EXPECT_THROW(write({{"a", DType::F32, {3}, bytes}}), std::logic_error);
  EXPECT_THROW(write({{"a", DType::F32, {-2}, bytes}}), std::logic_error);
  EXPECT_THROW(write({{"a", DType::F32, {1LL << 62, 4}, bytes}}), std::logic_error);
  EXPECT_THROW(write({{"a", DType::F32, {2}, bytes}, {"a", DType::I32, {2}, bytes}}), std::logic_error);
  EXPECT_THROW(write({{"__metadata__", DType::F32, {2}, bytes}}), std::logic_error);
  EXPECT_THROW(write({{"\xff", DType::F32, {2}, bytes}}), std::logic_error);
  EXPECT_THROW(write({{std::string(2'000'000, 'n'), DType::F32, {2}, bytes}}), std::logic_error);
  EXPECT_THROW(write({{"a", DType::F32, std::vector<int64_t>(33, 1), bytes}}), std::logic_error);
  EXPECT_THROW(write({}, {{"k", "\xff"}}), std::logic_error);
  EXPECT_FALSE(std::filesystem::exists(directory / "a"));
}

TEST(Safetensors, NamesAndSizesOfTypesAgreeWithTheFormat) {
  EXPECT_EQ(dtype_name(DType::BF16), "BF16");
  EXPECT_EQ(dtype_name(DType::Bool), "BOOL");
  EXPECT_EQ(dtype_of_name("bool"), std::nullopt);
  for (int i = 0; i <= static_cast<int>(DType::I64); ++i) {
    const DType dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_of_name(dtype_name(dtype)), dtype);
    EXPECT_GE(dtype_size(dtype), dtype_size(static_cast<DType>(std::max(i - 1, 0)))) << "alignment must not fall";
  }
  EXPECT_EQ(tensor_bytes(DType::F64, std::vector<int64_t>{}), 8u);
  EXPECT_EQ(tensor_bytes(DType::F16, std::vector<int64_t>{3, 5}), 30u);
  EXPECT_EQ(tensor_bytes(DType::F16, std::vector<int64_t>{3, 0}), 0u);
  EXPECT_EQ(tensor_bytes(DType::U8, std::vector<int64_t>{INT64_MAX}), uint64_t{INT64_MAX});
  EXPECT_EQ(tensor_bytes(DType::I16, std::vector<int64_t>{INT64_MAX}), std::nullopt);
  EXPECT_EQ(tensor_bytes(DType::U8, std::vector<int64_t>{0, INT64_MAX, 2}), std::nullopt);
}

}  // namespace
}  // namespace plumb
