#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumb/base/file_descriptor.h"
#include "plumb/report/http_request.h"

namespace plumb::report {

/// What goes out for a resource.
struct HttpBody {
  std::string content, type;
  std::string tag;     // of the content; changes with it
  std::string policy;  // Content-Security-Policy
};

/// Serves the two resources of `plumb watch` on 127.0.0.1 and nothing else: one thread, short answers, every connection
/// closed after its answer, slow or large requests cut off.
class LoopbackServer {
 public:
  /// `port` 0 takes a free one. Throws UserError if the port is taken.
  LoopbackServer(int port, std::function<HttpBody(Resource)> body);

  int port() const { return port_; }

  /// Until `stop` can be read from, as the reading end of a pipe that a signal handler writes to.
  void serve(const FileDescriptor& stop);

 private:
  struct Connection;
  void accept_all(std::vector<Connection>& connections);
  std::string response(const HttpReply& reply);

  std::function<HttpBody(Resource)> body_;
  FileDescriptor listener_;
  int port_ = 0;
};

}  // namespace plumb::report
