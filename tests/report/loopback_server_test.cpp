#include "plumb/report/loopback_server.h"

#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plumb/base/error.h"

namespace plumb::report {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

FileDescriptor connected(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

void send_text(const FileDescriptor& socket, const std::string& text) {
  EXPECT_EQ(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

std::string all_of(const FileDescriptor& socket) {
  std::string text;
  char buffer[65536];
  for (ssize_t count; (count = ::recv(socket.get(), buffer, sizeof buffer, 0)) > 0;) {
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

/// A server in a thread of its own, which ends with it.
class LoopbackServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    reading_ = FileDescriptor(ends[0]);
    writing_ = FileDescriptor(ends[1]);
    thread_ = std::thread([this] { server_.serve(reading_); });
  }
  void TearDown() override {
    EXPECT_EQ(::write(writing_.get(), "x", 1), 1);
    thread_.join();
  }

  std::string head(const std::string& line) const {
    return line + "\r\nHost: localhost:" + std::to_string(server_.port()) + "\r\n\r\n";
  }
  std::string answer(const std::string& request) const {
    const FileDescriptor socket = connected(server_.port());
    send_text(socket, request);
    return all_of(socket);
  }

  std::string page_ = std::string(3 << 20, 'p');  // more than the kernel takes at once
  LoopbackServer server_{0, [this](Resource resource) {
                           return resource == Resource::Page ? HttpBody{page_, "text/html", "\"p\"", "policy"}
                                                             : HttpBody{"{}", "application/json", "\"d\"", "policy"};
                         }};
  FileDescriptor reading_, writing_;
  std::thread thread_;
};

TEST_F(LoopbackServerTest, GivesAWholeLargePage) {
  const std::string text = answer(head("GET / HTTP/1.1"));
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(text.substr(text.find("\r\n\r\n") + 4), page_);
}

TEST_F(LoopbackServerTest, ARequestMayComeByteByByte) {
  const FileDescriptor socket = connected(server_.port());
  for (const char c : head("GET /data.json HTTP/1.1")) send_text(socket, std::string(1, c));
  EXPECT_THAT(all_of(socket), ::testing::EndsWith("\r\n\r\n{}"));
}

TEST_F(LoopbackServerTest, AHeadHasNoBodyAndWhatIsKnownIsNotSentAgain) {
  EXPECT_THAT(answer(head("HEAD / HTTP/1.1")), ::testing::EndsWith("\r\n\r\n"));
  std::string request = head("GET /data.json HTTP/1.1");
  request.insert(request.size() - 2, "If-None-Match: \"d\"\r\n");
  EXPECT_THAT(answer(request), StartsWith("HTTP/1.1 304"));
}

TEST_F(LoopbackServerTest, ThoseWhoSayNothingOrLeaveDoNotStopIt) {
  std::vector<FileDescriptor> idle;
  for (int i = 0; i < 30; ++i) idle.push_back(connected(server_.port()));
  for (int i = 0; i < 10; ++i) send_text(connected(server_.port()), head("GET / HTTP/1.1"));  // and gone
  EXPECT_THAT(answer(head("GET /data.json HTTP/1.1")), StartsWith("HTTP/1.1 200"));
}

TEST_F(LoopbackServerTest, ThoseWhoSayNothingDoNotShutOutOthers) {
  std::vector<FileDescriptor> idle;
  for (int i = 0; i < 150; ++i) idle.push_back(connected(server_.port()));
  EXPECT_THAT(answer(head("GET /data.json HTTP/1.1")), StartsWith("HTTP/1.1 200"));
}

TEST_F(LoopbackServerTest, TooMuchIsRefused) {
  const std::string text = answer("GET / HTTP/1.1\r\nX: " + std::string(kLargestRequest, 'x'));
  EXPECT_TRUE(text.empty() || text.starts_with("HTTP/1.1 431")) << text;
}

TEST_F(LoopbackServerTest, APortThatIsTakenIsTheUsersMistake) {
  EXPECT_THROW(LoopbackServer(server_.port(), [](Resource) { return HttpBody{}; }), UserError);
}

}  // namespace
}  // namespace plumb::report
