#include "plumb/report/loopback_server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plumb/base/error.h"

namespace plumb::report {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRequestPatience = std::chrono::seconds(3);  // for a whole request
constexpr auto kPatience = std::chrono::seconds(10);        // for the answer to be taken
constexpr int kMostConnections = 64;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

int port_of(const FileDescriptor& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

FileDescriptor listen_on(int port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in address = loopback(port);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), kMostConnections) != 0) {
    const int error = errno;
    throw UserError(fmt::format("127.0.0.1:{}", port), fmt::format("cannot be served on ({})", reason_of(error)),
                    "Choose another --port, or leave it out for a free one");
  }
  return listener;
}

}  // namespace

/// First a request comes in, then an answer goes out.
struct LoopbackServer::Connection {
  FileDescriptor socket;
  Clock::time_point until;
  std::string in, out = {};
  size_t sent = 0;
  bool answering = false, done = false;

  void answer(std::string text) {
    out = std::move(text);
    answering = true;
    until = Clock::now() + kPatience;
  }

  /// True if the head of the request is whole, or too large ever to be.
  bool read() {
    char buffer[4096];
    const ssize_t count = ::recv(socket.get(), buffer, sizeof buffer, 0);
    if (count > 0) in.append(buffer, static_cast<size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) done = true;
    return in.size() > kLargestRequest || in.find("\r\n\r\n") != std::string::npos;
  }

  void write() {
    const ssize_t count = ::send(socket.get(), out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<size_t>(count);
      until = Clock::now() + kPatience;
    }
    if (sent == out.size() || (count < 0 && errno != EAGAIN && errno != EINTR)) {
      ::shutdown(socket.get(), SHUT_WR);
      done = true;
    }
  }
};

LoopbackServer::LoopbackServer(int port, std::function<HttpBody(Resource)> body)
    : body_(std::move(body)), listener_(listen_on(port)), port_(port_of(listener_)) {}

std::string LoopbackServer::response(const HttpReply& reply) {
  std::string content = std::string(status_line(reply.status)) + "\n", type = "text/plain; charset=utf-8", more;
  int status = reply.status;
  if (status == 200) {
    HttpBody body = body_(reply.resource);
    if (!reply.if_none_match.empty() && reply.if_none_match == body.tag) status = 304;
    content = status == 304 ? "" : std::move(body.content);
    type = body.type;
    more = fmt::format("ETag: {}\r\nContent-Security-Policy: {}; frame-ancestors 'none'\r\n", body.tag, body.policy);
  }
  if (status == 405) more = "Allow: GET, HEAD\r\n";
  std::string text = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "{}\r\n",
      status_line(status), type, content.size(), more);
  if (reply.with_body) text += content;
  return text;
}

void LoopbackServer::accept_all(std::vector<Connection>& connections) {
  for (;;) {
    FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) return;
    // Those who connect and say nothing do not shut out others: the one that has waited longest has to go.
    if (std::ssize(connections) >= kMostConnections) {
      connections.erase(std::ranges::min_element(connections, {}, &Connection::until));
    }
    connections.push_back({.socket = std::move(socket), .until = Clock::now() + kRequestPatience, .in = {}});
  }
}

void LoopbackServer::serve(const FileDescriptor& stop) {
  std::vector<Connection> connections;
  for (;;) {
    std::vector<pollfd> waiting = {{stop.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Connection& one : connections) {
      waiting.push_back({one.socket.get(), static_cast<short>(one.answering ? POLLOUT : POLLIN), 0});
    }
    if (::poll(waiting.data(), waiting.size(), 1000) < 0 && errno != EINTR) return;
    if (waiting[0].revents != 0) return;
    for (size_t i = 0; i < connections.size(); ++i) {
      Connection& one = connections[i];
      if (waiting[i + 2].revents != 0) {
        if (one.answering) {
          one.write();
        } else if (one.read()) {
          const bool too_large = one.in.find("\r\n\r\n") == std::string::npos || one.in.size() > kLargestRequest;
          one.answer(response(too_large ? refused(431) : answer_to(one.in, port_)));
        }
      }
      if (Clock::now() > one.until && !one.done) {
        if (one.answering) {
          one.done = true;
        } else {
          one.answer(response(refused(408)));
        }
      }
    }
    std::erase_if(connections, [](const Connection& one) { return one.done; });
    if (waiting[1].revents != 0) accept_all(connections);
  }
}

}  // namespace plumb::report
