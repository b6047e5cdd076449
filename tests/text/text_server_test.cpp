#include "plumb/text/text_server.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/text/frame.h"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Every byte is a token; an id is the byte + 4.
class Bytes : public Tokenizer {
 public:
  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int32_t> ids;
    for (const char c : line) ids.push_back(static_cast<unsigned char>(c) + kSpecials);
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) {
      check_id(id, size());
      if (id >= kSpecials) text += static_cast<char>(id - kSpecials);
    }
    return text;
  }
  int32_t size() const override { return 260; }
  std::vector<std::string> vocabulary() const override { return std::vector<std::string>(260, "x"); }
  std::string fingerprint() const override { return "bytes"; }
};

// A server in a thread, and a connection to it.
class ServerTest : public testing::Test {
 protected:
  void start(std::function<std::unique_ptr<Tokenizer>()> open = [] { return std::make_unique<Bytes>(); }) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours_ = FileDescriptor(ends[0]);
    server_ = std::thread([this, open = std::move(open), theirs = ends[1]] {
      const FileDescriptor end(theirs);
      try {
        exit_ = serve_text(open, end.get(), end.get());
      } catch (const std::exception& error) {
        thrown_ = error.what();
      }
    });
  }
  void stop() {
    ours_.close();
    if (server_.joinable()) server_.join();
  }
  ~ServerTest() override { stop(); }

  std::string ask(const std::string& request) {
    write_frame(ours_.get(), request);
    std::string answer;
    EXPECT_TRUE(read_frame(ours_.get(), answer));
    return answer;
  }

  FileDescriptor ours_;
  std::thread server_;
  int exit_ = -1;
  std::string thrown_;
};

std::string encode_request(const std::vector<std::string>& lines) {
  FrameWriter request(FrameKind::Encode);
  request.put_u32(static_cast<uint32_t>(lines.size()));
  for (const std::string& line : lines) request.put_string(line);
  return request.bytes();
}

TEST_F(ServerTest, AnswersInTheFormatThatTheHeaderDescribes) {
  start();
  // Byte by byte, so that another program can be written from it.
  EXPECT_EQ(ask("I"), std::string("I\x04\x01\0\0\x05\0\0\0bytes", 14));
  EXPECT_EQ(ask(std::string("E\x02\0\0\0\x02\0\0\0AB\0\0\0\0", 15)),
            std::string("E\x02\0\0\0\x02\0\0\0\x45\0\0\0\x46\0\0\0\0\0\0\0", 21));
  EXPECT_EQ(ask(std::string("D\x01\0\0\0\x02\0\0\0\x45\0\0\0\x02\0\0\0", 17)),
            std::string("D\x01\0\0\0\x01\0\0\0A", 10));
  stop();
  EXPECT_EQ(exit_, 0);
}

TEST_F(ServerTest, TakesLinesOfAnyContentAndLength) {
  start();
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  const std::vector<std::string> lines = {every, "", "\n\n", std::string(10 << 20, 'x')};
  const std::string answer = ask(encode_request(lines));
  FrameReader reader(answer);
  EXPECT_EQ(reader.kind(), FrameKind::Encode);
  ASSERT_EQ(reader.u32(), lines.size());
  for (const std::string& line : lines) EXPECT_EQ(Bytes().decode(reader.ids()), line);
  reader.end();
}

TEST_F(ServerTest, SaysWhatItDoesNotUnderstandAndGoesOn) {
  start();
  const std::vector<std::string> wrong = {
      "",
      "X",
      "!",
      "Ix",
      "E",
      std::string("E\x01\0\0\0", 5),
      std::string("E\xFF\xFF\xFF\xFF", 5),
      std::string("E\x01\0\0\0\xFF\xFF\xFF\xFFz", 10),
      std::string("D\x01\0\0\0\xFF\xFF\xFF\x7F\0", 10),
      encode_request({"a"}) + "z",
  };
  for (const std::string& request : wrong) {
    const std::string answer = ask(request);
    FrameReader reader(answer);
    EXPECT_EQ(reader.kind(), FrameKind::Failure);
    EXPECT_EQ(reader.u8(), 1);
    EXPECT_THAT(std::string(reader.string()), HasSubstr("plumb text serve: "));
  }
  EXPECT_EQ(ask("I")[0], 'I');
}

TEST_F(ServerTest, SaysWhatTheUserDidWrongWithItsExitCode) {
  start();
  FrameWriter request(FrameKind::Decode);
  request.put_u32(1);
  request.put_ids(std::vector<int32_t>{260});
  const std::string answer = ask(request.bytes());
  FrameReader reader(answer);
  EXPECT_EQ(reader.kind(), FrameKind::Failure);
  EXPECT_EQ(reader.u8(), 2);
  EXPECT_THAT(std::string(reader.string()), HasSubstr("id 260: the vocabulary has the ids 0 to 259"));
}

TEST_F(ServerTest, TellsTheClientThatItsModelCannotBeOpenedAndEnds) {
  start([]() -> std::unique_ptr<Tokenizer> { throw DamagedFile("m.model", "is broken", "Mend it"); });
  const std::string answer = ask("I");
  FrameReader reader(answer);
  EXPECT_EQ(reader.kind(), FrameKind::Failure);
  EXPECT_EQ(reader.u8(), 3);
  EXPECT_EQ(reader.string(), "m.model: is broken. Mend it");
  server_.join();
  EXPECT_EQ(exit_, 3);
}

TEST_F(ServerTest, ThrowsIfNobodyAsksWhatIsWrong) {
  start([]() -> std::unique_ptr<Tokenizer> { throw DamagedFile("m.model", "is broken", "Mend it"); });
  stop();
  EXPECT_EQ(thrown_, "m.model: is broken. Mend it");
}

TEST_F(ServerTest, AnInputThatEndsInsideAFrameIsAnError) {
  start();
  ASSERT_EQ(::write(ours_.get(), "\xFF\xFF\xFF\xFFxy", 6), 6);  // 4 GB are promised; nobody allocates them
  stop();
  EXPECT_THAT(thrown_, HasSubstr("ends inside a frame"));
}

TEST(Frame, ComesBackAsItWasPut) {
  FrameWriter writer(FrameKind::Vocabulary);
  writer.put_u8(255);
  writer.put_u32(0xFFFFFFFF);
  writer.put_string(std::string("\0\n", 2));
  writer.put_ids(std::vector<int32_t>{-1, 0, 2147483647});
  writer.put_ids({});
  FrameReader reader(writer.bytes());
  EXPECT_EQ(reader.kind(), FrameKind::Vocabulary);
  EXPECT_EQ(reader.u8(), 255);
  EXPECT_EQ(reader.u32(), 0xFFFFFFFF);
  EXPECT_EQ(reader.string(), std::string("\0\n", 2));
  EXPECT_THAT(reader.ids(), ElementsAre(-1, 0, 2147483647));
  EXPECT_TRUE(reader.ids().empty());
  reader.end();
  EXPECT_THROW(reader.u8(), FrameError);
}

}  // namespace
}  // namespace plumb
