#pragma once

#include <string>
#include <string_view>

namespace plumb::report {

/// What `plumb watch` has to give. A request chooses among these; no part of it ever becomes a path.
enum class Resource { Page, Data };

/// The answer to the head of a request, before there is a body.
struct HttpReply {
  int status = 400;
  Resource resource = Resource::Page;  // for 200
  bool with_body = true;               // HEAD has none
  std::string if_none_match;           // the tag of the data that the page has already
};

constexpr size_t kLargestRequest = 8192;

/// `head` is everything up to and with the empty line. Only GET and HEAD of `/` and `/data.json` are answered, and only
/// if Host is the loopback address or localhost with this port: a page of another site that had its name resolved to
/// 127.0.0.1 would send its own name there. An Origin, if there is one, must be the same, and Sec-Fetch-Site not
/// another site's.
HttpReply answer_to(std::string_view head, int port);

/// An answer that gives nothing.
HttpReply refused(int status);

/// "200 OK"
std::string_view status_line(int status);

}  // namespace plumb::report
