#include "plumb/report/http_request.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace plumb::report {
namespace {

std::string_view stripped(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return result;
}

std::vector<std::string_view> lines_of(std::string_view head) {
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    const size_t end = head.find("\r\n");
    if (end == 0) break;
    lines.push_back(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
  }
  return lines;
}

/// The value of a header that may stand there at most once; none if it is absent or stands there twice.
std::optional<std::string_view> header(const std::vector<std::string_view>& lines, std::string_view name) {
  std::optional<std::string_view> value;
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    if (colon == std::string_view::npos || lower(lines[i].substr(0, colon)) != name) continue;
    if (value) return std::nullopt;
    value = stripped(lines[i].substr(colon + 1));
  }
  return value;
}

}  // namespace

HttpReply refused(int status) {
  HttpReply reply;
  reply.status = status;
  return reply;
}

HttpReply answer_to(std::string_view head, int port) {
  const std::vector<std::string_view> lines = lines_of(head);
  if (lines.empty()) return refused(400);
  const size_t first = lines[0].find(' '), second = lines[0].rfind(' ');
  if (first == std::string_view::npos || first == second) return refused(400);
  const std::string_view method = lines[0].substr(0, first), version = lines[0].substr(second + 1);
  const std::string_view target = lines[0].substr(first + 1, second - first - 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refused(400);

  const std::optional<std::string_view> host = header(lines, "host");
  const std::string name = host ? lower(*host) : "";
  if (name != fmt::format("127.0.0.1:{}", port) && name != fmt::format("localhost:{}", port)) return refused(403);
  // A page of another site may still send requests; browsers say so, and it gets nothing.
  const std::optional<std::string_view> site = header(lines, "sec-fetch-site");
  if (site && *site != "same-origin" && *site != "none" && target != "/") return refused(403);
  if (method != "GET" && method != "HEAD") return refused(405);

  HttpReply reply;
  reply.status = target == "/" || target == "/data.json" ? 200 : 404;
  reply.resource = target == "/data.json" ? Resource::Data : Resource::Page;
  reply.with_body = method == "GET";
  reply.if_none_match = std::string(header(lines, "if-none-match").value_or(""));
  return reply;
}

std::string_view status_line(int status) {
  switch (status) {
    case 200:
      return "200 OK";
    case 304:
      return "304 Not Modified";
    case 403:
      return "403 Forbidden";
    case 404:
      return "404 Not Found";
    case 405:
      return "405 Method Not Allowed";
    case 408:
      return "408 Request Timeout";
    case 431:
      return "431 Request Header Fields Too Large";
    default:
      return "400 Bad Request";
  }
}

}  // namespace plumb::report
