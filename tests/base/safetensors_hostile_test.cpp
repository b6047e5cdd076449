// Files that somebody damaged by accident or on purpose: each must end in one line, exit code 3 and little memory.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/safetensors.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

std::string length_bytes(size_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes;
}

std::string file_with(const std::string& header, const std::string& data) {
  return length_bytes(header.size()) + header + data;
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{}]}})", name, dtype, shape, offsets);
}

std::string times(size_t count, const std::string& part) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

struct Case {
  std::string name;
  std::string file;
  std::string message;  // must occur in the error
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::vector<Case> cases() {
  const std::string eight(8, 'x'), good = tensor("w", "F32", "2", "0,8");
  const auto one = [&](const std::string& fields) { return file_with(R"({"w":{)" + fields + "}}", eight); };
  const auto shaped = [&](const std::string& shape) {
    return file_with("{" + tensor("w", "F32", shape, "0,8") + "}", eight);
  };
  const auto placed = [&](const std::string& offsets) {
    return file_with("{" + tensor("w", "F32", "2", offsets) + "}", eight);
  };
  const auto metadata = [&](const std::string& value) {
    return file_with(R"({"__metadata__":)" + value + "," + good + "}", eight);
  };
  std::string long_header = file_with("{}", "");
  long_header[7] = 1;
  std::string truncated = file_with("{" + good + "}", eight);
  return {
      {"Empty", "", "shorter than 8 bytes"},
      {"SevenBytes", "1234567", "shorter than 8 bytes"},
      {"OnlyALength", std::string(8, '\0'), "does not start with '{'"},
      {"HeaderOverTheLimit", long_header, "the header claims 72057594037927938 bytes, more than the allowed 100000000"},
      {"HeaderBeyondTheFile", std::string("\x80\0\0\0\0\0\0\0{}", 10),
       "the header claims 128 bytes, but only 2 follow"},
      {"HeaderStartsWithBlank", file_with(" {}", ""), "does not start with '{'"},
      {"HeaderStartsWithByteOrderMark", file_with("\xef\xbb\xbf{}", ""), "does not start with '{'"},
      {"HeaderIsAList", file_with("[]", ""), "does not start with '{'"},
      {"HeaderUnfinished", file_with("{", ""), "not valid JSON"},
      {"HeaderNotJson", file_with("{nonsense}", ""), "not valid JSON at its byte 3: invalid literal"},
      {"HeaderWithComment", file_with("{}/* c */", ""), "not valid JSON"},
      {"HeaderFollowedByMore", file_with("{}{}", ""), "not valid JSON"},
      {"HeaderPaddedWithZeros", file_with(std::string("{}\0\0\0\0\0\0", 8), ""), "zero byte"},
      {"TrailingComma", file_with("{" + good + ",}", eight), "not valid JSON"},
      {"NameNotUtf8", file_with("{" + tensor("\xc3(", "F32", "2", "0,8") + "}", eight), "ill-formed UTF-8"},
      {"NameWithLoneSurrogate", file_with("{" + tensor("\\ud800", "F32", "2", "0,8") + "}", eight), "surrogate"},
      {"NameWithRawLineBreak", file_with("{" + tensor("a\nb", "F32", "2", "0,8") + "}", eight), "control character"},
      {"NameTwice", file_with("{" + good + "," + good + "}", eight), "tensor 'w': the name occurs twice"},
      {"NameTwiceByEscape", file_with("{" + good + "," + tensor("\\u0077", "F32", "2", "8,16") + "}", eight + eight),
       "tensor 'w': the name occurs twice"},
      {"EntryIsANumber", file_with(R"({"w":1})", ""), "the header's entry 'w' must be an object, but is a number"},
      {"EntryIsNull", file_with(R"({"w":null})", ""), "must be an object, but is null"},
      {"EntryIsAList", file_with(R"({"w":[[[[]]]]})", ""), "must be an object, but is a list"},
      {"UnknownDType", file_with("{" + tensor("w", "F31", "2", "0,8") + "}", eight),
       "tensor 'w': the dtype 'F31' is unknown"},
      {"LowerCaseDType", file_with("{" + tensor("w", "f32", "2", "0,8") + "}", eight), "the dtype 'f32' is unknown"},
      {"DTypeIsANumber", one(R"("dtype":32,"shape":[2],"data_offsets":[0,8])"),
       "'dtype' must be a string, but is a number"},
      {"NegativeDimension", shaped("-2"),
       "tensor 'w': a dimension must be a whole number from 0 to 2^63 - 1, but is -2"},
      {"MinusZeroDimension", shaped("-0"), "a dimension must be a whole number"},
      {"FractionalDimension", shaped("2.0"), "a dimension must be a whole number from 0 to 2^63 - 1, but is 2.0"},
      {"ExponentDimension", shaped("2e0"), "a dimension must be a whole number"},
      {"StringDimension", shaped("\"2\""), "a dimension must be a whole number from 0 to 2^63 - 1, but is a string"},
      {"NestedShape", shaped("[2]"), "a dimension must be a whole number from 0 to 2^63 - 1, but is a list"},
      {"DimensionOver63Bits", shaped("9223372036854775808"), "a dimension must be a whole number"},
      {"DimensionOver64Bits", shaped("18446744073709551618"), "a dimension must be a whole number"},
      {"DimensionBeyondDoubles", shaped(std::string(400, '9')), "not valid JSON"},
      {"ProductOverflowsToTheRightSize", shaped("4611686018427387904,4,2"), "multiply to more than 63 bits"},
      {"BytesOverflow", shaped("4611686018427387906"), "multiply to more than 63 bits"},  // times 4 is 8 mod 2^64
      {"EmptyWithOverflow", file_with("{" + tensor("w", "U8", "0,4611686018427387904,8", "0,0") + "}", ""),
       "multiply to more than 63 bits"},
      {"TooManyDimensions", shaped("2" + times(32, ",1")), "more than 32 dimensions"},
      {"BeginAfterEnd", placed("8,0"), "tensor 'w': its bytes begin at 8 but end at 0"},
      {"NegativeOffset", placed("-8,0"), "an offset must be a whole number from 0 to 2^64 - 1, but is -8"},
      {"OffsetOver64Bits", placed("0,18446744073709551624"), "an offset must be a whole number"},
      {"OneOffset", placed("8"), "must hold two numbers, but holds fewer"},
      {"ThreeOffsets", placed("0,8,8"), "must hold two numbers, but holds more"},
      {"OffsetsAreAnObject", one(R"("dtype":"F32","shape":[2],"data_offsets":{})"),
       "'data_offsets' must be a list, but is an object"},
      {"EndBeyondData", file_with("{" + tensor("w", "F32", "4", "0,16") + "}", eight),
       "tensor 'w': its bytes end at 16, but the data is 8 bytes long"},
      {"FarBeyondData",
       file_with("{" + tensor("w", "U8", "8", "18446744073709551600,18446744073709551608") + "}", eight),
       "but the data is 8 bytes long"},
      {"SizeMismatch", shaped("3"), "tensor 'w': its shape needs 12 bytes, but its offsets 0 to 8 give it 8"},
      {"Overlap", file_with("{" + good + "," + tensor("v", "F32", "2", "4,12") + "}", std::string(12, 'x')),
       "tensor 'v': its bytes begin at 4, but those before it end at 8: an overlap"},
      {"SameBytesTwice", file_with("{" + good + "," + tensor("v", "F32", "2", "0,8") + "}", eight), "an overlap"},
      {"HoleAtTheStart", file_with("{" + tensor("w", "F32", "2", "8,16") + "}", eight + eight),
       "tensor 'w': its bytes begin at 8, but those before it end at 0: a hole"},
      {"HoleInTheMiddle", file_with("{" + good + "," + tensor("v", "U8", "1", "9,10") + "}", eight + "xx"),
       "tensor 'v': its bytes begin at 9, but those before it end at 8: a hole"},
      {"EmptyTensorInsideAnother", file_with("{" + good + "," + tensor("v", "U8", "0", "4,4") + "}", eight),
       "an overlap"},
      {"TrailingBytes", file_with("{" + good + "}", eight + "x"), "1 bytes behind the last tensor belong to none"},
      {"DataWithoutTensors", file_with("{}", "x"), "1 bytes behind the last tensor belong to none"},
      {"TruncatedData", truncated.substr(0, truncated.size() - 1), "tensor 'w': its bytes end at 8, but the data is 7"},
      {"MissingDType", one(R"("shape":[2],"data_offsets":[0,8])"), "tensor 'w': the field 'dtype' is missing"},
      {"MissingShape", one(R"("dtype":"F32","data_offsets":[0,8])"), "tensor 'w': the field 'shape' is missing"},
      {"MissingOffsets", one(R"("dtype":"F32","shape":[2])"), "tensor 'w': the field 'data_offsets' is missing"},
      {"UnknownField", one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1)"),
       "tensor 'w': the field 'x' is unknown"},
      {"FieldTwice", one(R"("dtype":"F32","dtype":"I32","shape":[2],"data_offsets":[0,8])"),
       "the field 'dtype' occurs twice"},
      {"MetadataIsAString", metadata("\"pt\""), "'__metadata__' must be an object, but is a string"},
      {"MetadataIsNull", metadata("null"), "'__metadata__' must be an object, but is null"},
      {"MetadataOfNumbers", metadata(R"({"step":12})"), "the metadata 'step' must be a string, but is a number"},
      {"MetadataNested", metadata(R"({"a":{"b":"c"}})"), "the metadata 'a' must be a string, but is an object"},
      {"MetadataKeyTwice", metadata(R"({"a":"1","a":"2"})"), "the metadata key 'a' occurs twice"},
      {"MetadataTwice", metadata(R"({},"__metadata__":{})"), "'__metadata__' occurs twice"},
      {"LineBreakInAnEscapedName", file_with("{" + tensor("a\\nb", "F31", "2", "0,8") + "}", eight), "tensor 'a?b'"},
      {"VeryLongName", file_with("{" + tensor(std::string(70'000, 'n'), "F31", "2", "0,8") + "}", eight),
       "tensor '" + std::string(80, 'n') + "...': the dtype"},
  };
}

class HostileFile : public testing::TestWithParam<Case> {};

TEST_P(HostileFile, IsRefusedInOneLineWithExitCodeThree) {
  const TemporaryDirectory directory;
  const auto path = directory / "hostile.safetensors";
  write_all(path, GetParam().file);
  try {
    const SafetensorsReader reader(path);
    FAIL() << "accepted";
  } catch (const DamagedFile& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.exit_code(), Exit::DamagedFile);
    EXPECT_EQ(message.find(path.string()), 0u) << message;
    EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 500u);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, HostileFile, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(HostileFiles, NoTruncationOfAGoodFileIsAccepted) {
  const TemporaryDirectory directory;
  const std::string good =
      file_with("{" + tensor("a", "U8", "3", "0,3") + "," + tensor("b", "I16", "1", "3,5") + "}", "abcde");
  for (size_t length = 0; length < good.size(); ++length) {
    write_all(directory / "a", good.substr(0, length));
    EXPECT_THROW(SafetensorsReader(directory / "a"), DamagedFile) << length;
  }
}

/// What the format promises of every file: tensors lie one behind the other without gaps, from the first byte of the
/// data to the last, each with as many bytes as its shape has, under a name of its own; reading gives exactly these
/// bytes.
void expect_consistent(const SafetensorsReader& reader, std::string_view data, const std::string& what) {
  uint64_t end = 0;
  std::set<std::string> names;
  for (const TensorEntry& entry : reader.tensors()) {
    EXPECT_EQ(entry.begin, end) << what;
    EXPECT_EQ(std::optional<uint64_t>(entry.size()), tensor_bytes(entry.dtype, entry.shape)) << what;
    EXPECT_TRUE(names.insert(entry.name).second) << what;
    end = entry.end;
    std::vector<std::byte> bytes(entry.size());
    reader.read(entry, bytes);
    ASSERT_LE(entry.end, data.size()) << what;
    EXPECT_EQ(std::memcmp(bytes.data(), data.data() + entry.begin, bytes.size()), 0) << what;
  }
  EXPECT_EQ(end, data.size()) << what;
}

// Whatever one changed byte does, the reader either accepts a consistent file or throws DamagedFile.
TEST(HostileFiles, NoChangedByteDoesMoreHarmThanAnError) {
  const TemporaryDirectory directory;
  const std::string header = "{" + tensor("a", "U8", "3", "0,3") + "," + tensor("b", "I16", "1", "3,5") + "}";
  const std::string good = file_with(header, "abcde");
  int accepted = 0, refused = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    for (const unsigned flip : {0x01u, 0x02u, 0x08u, 0x10u, 0x20u, 0x80u, 0xFFu}) {
      std::string changed = good;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
      write_all(directory / "a", changed);
      try {
        const SafetensorsReader reader(directory / "a");
        expect_consistent(reader, std::string_view(changed).substr(8 + header.size()), fmt::format("{} {}", i, flip));
        ++accepted;
      } catch (const DamagedFile&) {
        ++refused;
      }
    }
  }
  EXPECT_GE(accepted, 5 * 7);  // the data itself has no checksum
  EXPECT_GE(refused, 8 * 7);   // a changed length of the header is always found
}

TEST(HostileFiles, ThatIsNoFileAtAllIsTheUsersMistake) {
  const TemporaryDirectory directory;
  const auto message = [](const std::filesystem::path& path) -> std::string {
    try {
      SafetensorsReader reader(path);
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), Exit::UserInput);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message(directory.path()).find("is a directory"), std::string::npos);
  EXPECT_NE(message(directory / "absent").find("No such file or directory"), std::string::npos);
  EXPECT_NE(message("/dev/zero").find("is not a regular file"), std::string::npos);
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_NE(message(directory / "pipe").find("is not a regular file"), std::string::npos);  // and does not wait
  if (::geteuid() != 0) {                                                                   // root may read everything
    write_all(directory / "secret", "");
    std::filesystem::permissions(directory / "secret", std::filesystem::perms::none);
    EXPECT_NE(message(directory / "secret").find("Permission denied"), std::string::npos);
  }
}

TEST(HostileFiles, ThatShrinksAfterOpeningIsNoticed) {
  const TemporaryDirectory directory;
  write_all(directory / "a", file_with("{" + tensor("w", "U8", "8", "0,8") + "}", "12345678"));
  const SafetensorsReader reader(directory / "a");
  std::filesystem::resize_file(directory / "a", 20);
  std::vector<std::byte> bytes(8);
  EXPECT_THROW(reader.read(reader.tensors()[0], bytes), DamagedFile);
}

// --- Memory -------------------------------------------------------------------------------------------------------

std::optional<size_t> status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stoul(line.substr(field.size() + 1)) * 1024;
  }
  return std::nullopt;
}

// The peak of one constructor call above the memory before it, measured in a process of its own.
std::optional<size_t> peak_of_opening(const std::filesystem::path& path, std::string& message) {
  int pipe[2];
  if (::pipe(pipe) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    ::malloc_trim(0);  // or freed memory of the parent would be used again and not be counted
    std::ofstream("/proc/self/clear_refs") << "5" << std::flush;  // forget the parent's peak
    const size_t before = status_bytes("VmRSS").value_or(0);
    std::string said = "accepted";
    try {
      const SafetensorsReader reader(path);
    } catch (const std::exception& error) {
      said = error.what();
    }
    const size_t peak = status_bytes("VmHWM").value_or(0);
    said = fmt::format("{} {}", before == 0 || peak < before ? size_t{0} : peak - before, said);
    const bool sent = ::write(pipe[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(sent ? 0 : 1);
  }
  ::close(pipe[1]);
  char buffer[4096];
  const ssize_t got = ::read(pipe[0], buffer, sizeof buffer);
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (got <= 0 || status != 0) return std::nullopt;
  const std::string answer(buffer, static_cast<size_t>(got));
  message = answer.substr(answer.find(' ') + 1);
  return std::stoul(answer);
}

struct Bomb {
  std::string name;
  std::function<std::string()> header;  // made only while its test runs
  std::string message;
};

void PrintTo(const Bomb& bomb, std::ostream* out) {
  *out << bomb.name;
}

constexpr size_t kBombSize = 90'000'000;

std::string repeated(const std::string& prefix, const std::string& part) {
  const std::string block = times(1'000'000 / part.size() + 1, part);
  std::string text = prefix;
  text.reserve(kBombSize + block.size() + 100);
  while (text.size() < kBombSize) text += block;
  return text;
}

std::string numbered(const std::string& prefix, const std::string& before, const std::string& after) {
  std::string text = prefix;
  text.reserve(kBombSize + before.size() + after.size() + 100);
  for (size_t i = 0; text.size() < kBombSize; ++i) text.append(before).append(std::to_string(i)).append(after);
  return text;
}

std::vector<Bomb> bombs() {
  const std::string rank32 = "0" + times(31, ",1"), long_text(1'000'000, 'v'), long_name(900, 'n');
  const std::string gap = "a number or a gap of more than 1 MiB", string = "a string of more than 1 MiB";
  const auto entry = [](const std::string& shape) {
    return R"(":{"dtype":"U8","shape":[)" + shape + R"(],"data_offsets":[0,0]},)";
  };
  return {
      {"NestedLists", [] { return repeated(R"({"a":)", "["); }, "must be an object, but is a list"},
      {"NestedObjects", [] { return repeated("{", R"("a":{)"); }, "the field 'a' is unknown"},
      {"NestedShapes", [] { return repeated(R"({"a":{"shape":)", "["); }, "a dimension must be"},
      {"OneString", [] { return repeated("{\"", "a"); }, string},
      {"OneStringOfEscapes", [] { return repeated("{\"", "\\u0041"); }, string},
      {"OneNumber", [] { return repeated(R"({"a":{"shape":[)", "1"); }, gap},
      {"OneGap", [] { return repeated("{", " "); }, gap},
      {"OneShape", [] { return repeated(R"({"a":{"shape":[1)", ",1"); }, "more than 32 dimensions"},
      {"ManyTensors", [=] { return numbered("{", "\"", entry("0")); }, "more than 100000 tensors"},
      {"ManyDimensions", [=] { return numbered("{", "\"", entry(rank32)); }, "more than 100000 tensors"},
      {"LongNames", [=] { return numbered("{", "\"" + long_name, entry(rank32)); }, "not valid JSON"},
      {"ManyMetadata", [] { return numbered(R"({"__metadata__":{)", "\"", R"(":"",)"); }, "more than 100000 entries"},
      {"LongMetadata", [=] { return numbered(R"({"__metadata__":{)", "\"", "\":\"" + long_text + "\","); },
       "not valid JSON"},
  };
}

class HostileHeader : public testing::TestWithParam<Bomb> {};

TEST_P(HostileHeader, OfNinetyMegabytesTakesLittleMemory) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer's own memory hides ours";
#endif
  const TemporaryDirectory directory;
  const auto path = directory / "bomb.safetensors";
  {
    std::ofstream out(path, std::ios::binary);
    const std::string header = GetParam().header();
    out << length_bytes(header.size()) << header;
  }
  std::string message;
  const auto peak = peak_of_opening(path, message);
  if (!peak || *peak == 0) GTEST_SKIP() << "this system does not tell the peak memory of a process";
  RecordProperty("peak_kib", std::to_string(*peak / 1024));
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_LT(*peak, std::filesystem::file_size(path) + (size_t{64} << 20));
}

INSTANTIATE_TEST_SUITE_P(Every, HostileHeader, testing::ValuesIn(bombs()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace plumb
