#include "plumb/store/weights_file.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/base/safetensors.h"
#include "plumb/base/xxh64.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Fill kFirstValues{.kind = Fill::Kind::Normal, .value = 1};

/// A matrix in a block of two, a vector, and a second name for the vector.
struct Model {
  ParameterStore store;

  explicit Model(at::ScalarType dtype = at::kFloat, uint64_t seed = 1) {
    store.declare_stacked({{"layer.k.weight", {2, 3}, kFirstValues}, {"layer.q.weight", {4, 3}, kFirstValues}});
    store.declare({"embed.weight", {5}, kFirstValues});
    store.alias("output.weight", "embed.weight");
    store.allocate(dtype);
    store.draw(seed);
  }
};

/// A file made by hand, tensor by tensor; `tensors` keeps the bytes alive.
struct File {
  std::map<std::string, at::Tensor> tensors;

  /// Everything that the model holds.
  static File of(const Model& model) {
    File file;
    for (const auto& entry : model.store.entries()) {
      file.tensors[entry.spec.name] = model.store.value(entry.spec.name).clone();
    }
    return file;
  }

  void write(const std::filesystem::path& path) const {
    std::vector<TensorSource> sources;
    for (const auto& [name, tensor] : tensors) {
      const at::ScalarType type = tensor.scalar_type();
      const DType dtype = type == at::kDouble     ? DType::F64
                          : type == at::kHalf     ? DType::F16
                          : type == at::kBFloat16 ? DType::BF16
                          : type == at::kLong     ? DType::I64
                                                  : DType::F32;
      const auto* bytes = static_cast<const std::byte*>(tensor.data_ptr());
      sources.push_back({name, dtype, tensor.sizes().vec(), {bytes, tensor.nbytes()}});
    }
    write_safetensors(path, sources);
  }
};

TEST(WeightsFile, BringsEveryValueBackBitByBit) {
  for (at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const TemporaryDirectory directory;
    const Model saved(dtype, 1);
    Model loaded(dtype, 2);
    ASSERT_FALSE(at::equal(saved.store.values(), loaded.store.values()));
    save_weights(saved.store, directory / "w.safetensors");
    load_weights(loaded.store, directory / "w.safetensors");
    EXPECT_TRUE(at::equal(saved.store.values(), loaded.store.values()));
  }
}

TEST(WeightsFile, KeepsTheStoresTypeAndMetadataAndWritesTiedTensorsOnce) {
  const TemporaryDirectory directory;
  save_weights(Model(at::kDouble).store, directory / "w.safetensors", {{"format", "pt"}, {"made_by", "test"}});
  const SafetensorsReader file(directory / "w.safetensors");
  EXPECT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.find("output.weight"), nullptr);
  ASSERT_NE(file.find("layer.q.weight"), nullptr);
  EXPECT_EQ(file.find("layer.q.weight")->dtype, DType::F64);
  EXPECT_EQ(file.find("layer.q.weight")->shape, (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(file.metadata().at("made_by"), "test");
}

TEST(WeightsFile, IsConvertedToTheStoresType) {
  for (at::ScalarType in_file : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    for (at::ScalarType in_store : {at::kFloat, at::kDouble}) {
      const TemporaryDirectory directory;
      File file = File::of(Model(at::kDouble, 1));
      for (auto& [name, tensor] : file.tensors) tensor = tensor.to(in_file);
      file.write(directory / "w.safetensors");
      Model model(in_store, 2);
      load_weights(model.store, directory / "w.safetensors");
      for (const auto& [name, tensor] : file.tensors) {
        EXPECT_TRUE(at::equal(model.store.value(name), tensor.to(in_store))) << name << ' ' << in_file << in_store;
      }
    }
  }
}

// The bits of the half types by hand: 1, -2, 0.5, 65504 and 2^-24; 1, 3, -0.5, 2^100 and pi cut to 8 bits.
TEST(WeightsFile, ReadsTheHalfTypesBitByBit) {
  const struct {
    DType dtype;
    std::vector<uint16_t> bits;
    std::vector<double> values;
  } cases[] = {{DType::F16, {0x3C00, 0xC000, 0x3800, 0x7BFF, 0x0001}, {1, -2, 0.5, 65504, 0x1p-24}},
               {DType::BF16, {0x3F80, 0x4040, 0xBF00, 0x7180, 0x4049}, {1, 3, -0.5, 0x1p100, 3.140625}}};
  for (const auto& each : cases) {
    const TemporaryDirectory directory;
    const std::vector<TensorSource> sources = {{"w", each.dtype, {5}, std::as_bytes(std::span(each.bits))}};
    write_safetensors(directory / "w.safetensors", sources);
    ParameterStore store;
    store.declare({"w", {5}, {}});
    store.allocate(at::kFloat);
    load_weights(store, directory / "w.safetensors");
    for (int64_t i = 0; i < 5; ++i) {
      EXPECT_EQ(store.value("w")[i].item<double>(), each.values[static_cast<size_t>(i)]) << dtype_name(each.dtype);
    }
  }
}

/// Loading must fail with the error E, say so in one line with the file and `words`, and leave the model as it was.
template <class E>
void expect_refused(const File& file, const std::vector<std::string>& words) {
  const TemporaryDirectory directory;
  file.write(directory / "w.safetensors");
  Model model(at::kFloat, 2);
  const at::Tensor before = model.store.values().clone();
  try {
    load_weights(model.store, directory / "w.safetensors");
    ADD_FAILURE() << "the file was accepted, in spite of " << words.front();
  } catch (const E& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr((directory / "w.safetensors").string()), Not(HasSubstr("\n"))));
    for (const std::string& word : words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
  EXPECT_TRUE(at::equal(model.store.values(), before)) << words.front();
}

TEST(WeightsFile, WithAMissingTensorIsRefused) {
  File file = File::of(Model());
  file.tensors.erase("layer.q.weight");
  expect_refused<UserError>(file, {"layer.q.weight", "missing"});
}

TEST(WeightsFile, WithATensorTooManyIsRefused) {
  File file = File::of(Model());
  file.tensors["layer.v.weight"] = at::zeros({2, 3});
  expect_refused<UserError>(file, {"layer.v.weight"});
}

TEST(WeightsFile, WithATensorOfAnotherShapeIsRefused) {
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{{3, 4}, {12}, {4, 3, 1}, {4, 2}, {}}) {
    File file = File::of(Model());
    file.tensors["layer.q.weight"] = at::zeros(shape);
    expect_refused<UserError>(file, {"layer.q.weight", "[4, 3]"});
  }
}

TEST(WeightsFile, WithIntegersInsteadOfWeightsIsRefused) {
  File file = File::of(Model());
  file.tensors["layer.k.weight"] = at::zeros({2, 3}, at::kLong);
  expect_refused<DamagedFile>(file, {"layer.k.weight", "I64"});
}

TEST(WeightsFile, WithATiedTensorUnderItsSecondNameOnlyLacksTheFirst) {
  File file = File::of(Model());
  file.tensors["output.weight"] = file.tensors["embed.weight"];
  file.tensors.erase("embed.weight");
  expect_refused<UserError>(file, {"embed.weight", "missing"});
}

TEST(WeightsFile, MayHoldATiedTensorTwiceIfBothAreEqual) {
  const TemporaryDirectory directory;
  const Model saved(at::kFloat, 1);
  File file = File::of(saved);
  file.tensors["output.weight"] = file.tensors["embed.weight"].clone();
  file.write(directory / "w.safetensors");
  Model loaded(at::kFloat, 2);
  load_weights(loaded.store, directory / "w.safetensors");
  EXPECT_TRUE(at::equal(saved.store.values(), loaded.store.values()));
}

TEST(WeightsFile, MayNotHoldATiedTensorTwiceIfTheyDiffer) {
  File file = File::of(Model());
  file.tensors["output.weight"] = file.tensors["embed.weight"].clone();
  file.tensors["output.weight"][3] += 1;
  expect_refused<UserError>(file, {"output.weight", "embed.weight"});
}

TEST(WeightsFile, MayNotHoldATiedTensorOfAnotherShape) {
  File file = File::of(Model());
  file.tensors["output.weight"] = at::zeros({6});
  expect_refused<UserError>(file, {"output.weight", "[5]"});
}

TEST(WeightsFile, ThatIsAbsentOrCutShortIsRefused) {
  const TemporaryDirectory directory;
  Model model(at::kFloat, 2);
  const at::Tensor before = model.store.values().clone();
  EXPECT_THROW(load_weights(model.store, directory / "absent.safetensors"), UserError);
  save_weights(model.store, directory / "whole.safetensors");
  const std::string bytes = read_all(directory / "whole.safetensors");
  write_all(directory / "cut.safetensors", bytes.substr(0, bytes.size() - 4));
  EXPECT_THROW(load_weights(model.store, directory / "cut.safetensors"), DamagedFile);
  EXPECT_TRUE(at::equal(model.store.values(), before));
}

TEST(WeightsFile, IsComparedWithItsChecksumWhileItIsRead) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "w.safetensors";
  File file = File::of(Model());
  file.tensors["output.weight"] = file.tensors["embed.weight"].clone();  // a second name: read and passed over
  file.write(path);
  const std::string bytes = read_all(path), checksum = xxh64_hex(bytes);
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {  // straight into the store, and by way of another type
    Model model(type, 2);
    EXPECT_NO_THROW(load_weights(model.store, path, checksum));
    EXPECT_EQ(model.store.value("embed.weight").sum().item<double>(),
              file.tensors["embed.weight"].to(type).sum().item<double>());
  }
  Model model(at::kFloat, 2);
  for (size_t i = bytes.size() - 20 * 4; i < bytes.size(); ++i) {  // one flipped bit of a weight
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    write_all(path, flipped);
    EXPECT_THROW(load_weights(model.store, path, checksum), Error) << i;  // the tied pair differs, or the checksum
    EXPECT_THROW(load_matching_weights(model.store, path, checksum), DamagedFile) << i;
  }
}

TEST(WeightsFile, MayHoldWeightsThatAreNotFinite) {
  Model model;
  EXPECT_EQ(nonfinite_tensor(model.store), "");
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Model other;
    other.store.value("layer.q.weight")[2][1] = bad;
    EXPECT_EQ(nonfinite_tensor(other.store), "layer.q.weight") << bad;
  }
}

TEST(WeightsFile, LoadsIntoTheLeavesOfAutogradAndKeepsTheGradients) {
  const TemporaryDirectory directory;
  save_weights(Model(at::kFloat, 1).store, directory / "w.safetensors");
  Model model(at::kFloat, 2);
  model.store.leaves()[0].square().sum().backward();
  const at::Tensor gradients = model.store.gradients().clone();
  load_weights(model.store, directory / "w.safetensors");
  EXPECT_TRUE(model.store.leaves()[0].requires_grad());
  EXPECT_TRUE(
      at::equal(model.store.leaves()[0].detach().narrow(0, 0, 2), Model(at::kFloat, 1).store.value("layer.k.weight")));
  EXPECT_TRUE(at::equal(model.store.gradients(), gradients));
}

// The independent reader shares no code with ours and knows the published format only.
TEST(WeightsFile, IsAcceptedByTheIndependentReader) {
  if (std::system("/usr/bin/python3 -c pass 2>/dev/null") != 0) GTEST_SKIP() << "no /usr/bin/python3 on this machine";
  for (at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const TemporaryDirectory directory;
    const Model model(dtype);
    model.store.value("embed.weight").copy_(at::arange(5, at::kDouble) + 0.5);  // 12.5 in any order
    save_weights(model.store, directory / "w.safetensors");
    const std::string type = dtype == at::kFloat ? "F32" : "F64";
    write_all(directory / "expected.json", R"({"embed.weight": {"dtype": ")" + type + R"(", "shape": [5], "sum": 12.5},
        "layer.k.weight": {"dtype": ")" + type +
                                               R"(", "shape": [2, 3]}, "layer.q.weight": {"shape": [4, 3]}})");
    const std::string command = "/usr/bin/python3 " PLUMB_SOURCE_DIR "/tests/base/check_safetensors.py '" +
                                (directory / "w.safetensors").string() + "' '" +
                                (directory / "expected.json").string() + "' >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << type;
  }
}

}  // namespace
}  // namespace plumb
