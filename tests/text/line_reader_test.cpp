#include "plumb/text/line_reader.h"

#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr LineOptions kReplace = {.bad_bytes = BadBytes::Replace};

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(::deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

class LineReaderTest : public testing::Test {
 protected:
  std::string file(std::string_view content) {
    const auto path = directory_ / ("text" + std::to_string(count_++));
    write_all(path, content);
    return path.string();
  }

  std::vector<std::string> lines(std::string_view content, LineOptions options = {}) {
    const std::string path = file(content);
    LineReader reader(path, options);
    std::vector<std::string> all;
    for (std::string line; reader.next(line);) all.push_back(line);
    findings_ = reader.findings();
    EXPECT_EQ(findings_.lines, all.size());
    EXPECT_EQ(count_lines(path), all.size());
    return all;
  }

  // What is wrong with it, or "".
  std::string problem(std::string_view content, LineOptions options = {}) {
    try {
      LineReader reader(file(content), options);
      for (std::string line; reader.next(line);) {
      }
    } catch (const Error& error) {
      exit_ = error.exit_code();
      return error.what();
    }
    return "";
  }

  const TemporaryDirectory directory_;
  LineReader::Findings findings_;
  Exit exit_ = Exit::Done;
  int count_ = 0;
};

TEST_F(LineReaderTest, AnEmptyFileHasNoLines) {
  EXPECT_THAT(lines(""), IsEmpty());
  EXPECT_THAT(lines("\n"), ElementsAre(""));
  EXPECT_THAT(lines("\n\n"), ElementsAre("", ""));
}

TEST_F(LineReaderTest, TheLastLineMayDoWithoutALineEnd) {
  EXPECT_THAT(lines("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_FALSE(findings_.unfinished);
  EXPECT_THAT(lines("a\nb"), ElementsAre("a", "b"));
  EXPECT_TRUE(findings_.unfinished);
  EXPECT_THAT(lines("a\n "), ElementsAre("a", " "));
}

TEST_F(LineReaderTest, LeavesOutTheCarriageReturnOfALineEndAndNoOther) {
  EXPECT_THAT(lines("a\r\n\r\nb\rc\r\nd\r"), ElementsAre("a", "", "b\rc", "d"));
  EXPECT_EQ(findings_.carriage, 4u);
  EXPECT_THAT(lines("a\r\r\n"), ElementsAre("a\r"));
}

TEST_F(LineReaderTest, LeavesOutAByteOrderMarkAtTheStartOnly) {
  EXPECT_THAT(lines("\xEF\xBB\xBFz\n\xEF\xBB\xBFz\n"), ElementsAre("z", "\xEF\xBB\xBFz"));
  EXPECT_TRUE(findings_.byte_order_mark);
  EXPECT_THAT(lines("\xEF\xBB\xBF"), ElementsAre(""));
  EXPECT_THAT(lines("\xEF\xBB\xBF\r\n"), ElementsAre(""));
}

TEST_F(LineReaderTest, RefusesBytesThatAreNotTextAndNamesThePlace) {
  EXPECT_THAT(problem("good\nGr\xFC\xDF"
                      "e\n"),
              AllOf(HasSubstr("text0:2: byte 3 (0xFC) is not UTF-8"), HasSubstr("iconv")));
  EXPECT_EQ(exit_, Exit::UserInput);
  EXPECT_THAT(problem(std::string_view("a\nb\n\0\n", 6)), HasSubstr(":3: byte 1 is NUL"));
  EXPECT_THAT(problem(std::string_view("\xFF\xFEh\0i\0\n\0", 8)), AllOf(HasSubstr(":1: "), HasSubstr("UTF-16")));
  EXPECT_THAT(problem("half\xE2\x82"), HasSubstr(":1: byte 5"));
}

TEST_F(LineReaderTest, ReplacesThemOnRequestAndKeepsTheLines) {
  EXPECT_THAT(lines(std::string_view("Gr\xFC\xDF"
                                     "e\na\0b\n\xFF\0\nok\n",
                                     15),
                    kReplace),
              ElementsAre("Gr\uFFFD\uFFFDe", "a\uFFFDb", "\uFFFD\uFFFD", "ok"));
  EXPECT_EQ(findings_.replaced, 3u);
  EXPECT_THAT(lines(std::string(1 << 20, '\0'), kReplace).at(0).size(), 3u << 20);
}

TEST_F(LineReaderTest, ReadsLinesOfAnyLengthUpToTheLimit) {
  std::vector<std::string> expected;
  std::string content;
  for (const size_t length : {65535, 65536, 65537, 0, 1, 131072, 10 << 20, 7}) {
    std::string line;
    while (line.size() < length) line += static_cast<char>('a' + (line.size() * 7 + line.size() / 1000) % 26);
    expected.push_back(line);
    content += line + "\r\n";
  }
  EXPECT_EQ(lines(content), expected);
  EXPECT_EQ(lines(gzip(content)), expected);
  EXPECT_THAT(problem("short\n" + content, {.longest = 100000}), HasSubstr(":7: the line is longer than 100000 bytes"));
  EXPECT_THAT(lines("12345\n1234", {.longest = 5}), ElementsAre("12345", "1234"));
  EXPECT_THAT(problem("123456", {.longest = 5}), HasSubstr("longer than 5"));
}

TEST_F(LineReaderTest, CutsALongLineOnRequestAndGoesOnWithTheNext) {
  const LineOptions options{.longest = 5, .long_lines = LongLines::Cut};
  EXPECT_THAT(lines("1234567\n12345\n\n123456789", options), ElementsAre("1234", "12345", "", "1234"));
  EXPECT_EQ(findings_.cut, 2u);
  EXPECT_THAT(lines("abc€€\r\nabcd€\r\n", options), ElementsAre("abc", "abcd"));  // never inside a character
  EXPECT_EQ(findings_.replaced, 0u);
  std::string content;
  for (int i = 0; i < 3; ++i) content += std::string(200'000, 'x') + "\n";
  EXPECT_THAT(lines(content, options), ElementsAre("xxxx", "xxxx", "xxxx"));
}

TEST_F(LineReaderTest, AHugeLineIsRefusedBeforeItIsRead) {
  // 1 GB of one line, in a file of 1 MB.
  const std::string path = (directory_ / "bomb").string();
  gzFile out = ::gzopen(path.c_str(), "wb1");
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) ::gzwrite(out, piece.data(), static_cast<unsigned>(piece.size()));
  ::gzclose(out);
  LineReader reader(path);
  std::string line;
  EXPECT_THROW(reader.next(line), UserError);
  EXPECT_LE(line.size(), size_t{16} << 20);
}

TEST_F(LineReaderTest, LinesThatWouldFillTheMemoryAreRefused) {
  const std::string path = file(gzip(std::string(100'000, '\n')));
  EXPECT_EQ(LineReader(path).rest().size(), 100'000u);
  EXPECT_THROW(LineReader(path, {.most_at_once = 1 << 20}).rest(), UserError);
}

TEST_F(LineReaderTest, UnpacksGzipByItsContent) {
  const std::string text = "\xEF\xBB\xBFone\r\ntwo\nGröße";
  EXPECT_THAT(lines(gzip(text)), ElementsAre("one", "two", "Größe"));
  EXPECT_THAT(lines(gzip("a\nb") + gzip("c\n") + gzip("") + gzip("d")), ElementsAre("a", "bc", "d"));
  EXPECT_THAT(lines(gzip("a\n") + std::string(1000, '\0')), ElementsAre("a"));
  EXPECT_THAT(lines(gzip("")), IsEmpty());
  EXPECT_THAT(lines("\x1F"), ElementsAre("\x1F"));
  EXPECT_THAT(lines("\x1F\n\x8B", kReplace), ElementsAre("\x1F", "\uFFFD"));
}

TEST_F(LineReaderTest, SaysThatPackedTextIsDamagedWhereverItIsCut) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::string packed = gzip(text);
  for (size_t length = 2; length < packed.size(); length += length < 30 || length + 10 > packed.size() ? 1 : 13) {
    EXPECT_THAT(problem(packed.substr(0, length)), HasSubstr("begins as gzip but")) << length;
    EXPECT_EQ(exit_, Exit::DamagedFile);
  }
  std::string wrong = packed;
  wrong[wrong.size() - 6] ^= 1;  // the checksum
  EXPECT_THAT(problem(wrong), HasSubstr("does not unpack"));
  EXPECT_THAT(problem(packed + "garbage"), HasSubstr("does not unpack"));
}

TEST_F(LineReaderTest, AMissingFileOrADirectoryIsTheUsersMistake) {
  EXPECT_THROW(LineReader("/no/such/file"), UserError);
  EXPECT_THROW(LineReader(directory_.path().string()), UserError);
  FileDescriptor folder(::open(directory_.path().c_str(), O_RDONLY));  // as in `plumb generate RUN < folder`
  EXPECT_THROW(LineReader(std::move(folder), "stdin"), UserError);
  EXPECT_THROW(LineReader(FileDescriptor(-1), "stdin"), UserError);
  EXPECT_THROW(count_lines("/no/such/file"), UserError);
}

TEST_F(LineReaderTest, AnswersEachLineOfAPipeAsItComes) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FileDescriptor out(ends[1]);
  const auto write = [&](std::string_view text) {
    ASSERT_EQ(::write(out.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  write("a\nb\n");
  LineReader reader(FileDescriptor(ends[0]), "stdin");
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "a");
  // The first bytes were looked at alone, so the rest may or may not be there already.
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_TRUE(reader.would_wait());
  write("c\nd");
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "c");
  EXPECT_FALSE(reader.would_wait());
}

TEST_F(LineReaderTest, ReadsANamedPipe) {
  const std::string path = (directory_ / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { write_all(path, gzip("through\na pipe")); });
  LineReader reader(path);
  std::vector<std::string> all;
  for (std::string line; reader.next(line);) all.push_back(line);
  writer.join();
  EXPECT_THAT(all, ElementsAre("through", "a pipe"));
}

}  // namespace
}  // namespace plumb
