#include "plumb/report/http_request.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace plumb::report {
namespace {

constexpr std::string_view kScheme = "http://";

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

/// The values of a header, as often as it stands there.
std::vector<std::string_view> headers(const std::vector<std::string_view>& lines, std::string_view name) {
  std::vector<std::string_view> values;
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    if (colon == std::string_view::npos || lower(lines[i].substr(0, colon)) != name) continue;
    values.push_back(stripped(lines[i].substr(colon + 1)));
  }
  return values;
}

/// Whether a header is absent, or stands there once with a value that is `good`: two of them are somebody's trick.
template <class Good>
bool absent_or(const std::vector<std::string_view>& values, const Good& good) {
  return values.empty() || (values.size() == 1 && good(values.front()));
}

bool is_this_server(std::string_view name, int port) {
  const std::string host = lower(name);
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
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

  const std::vector<std::string_view> hosts = headers(lines, "host");
  if (hosts.size() != 1 || !is_this_server(hosts.front(), port)) return refused(403);
  // A page of another site may still send requests; browsers say so, and it gets nothing. A link to the page is one,
  // too.
  const auto own_site = [&](std::string_view site) { return site == "same-origin" || site == "none" || target == "/"; };
  const auto own_origin = [&](std::string_view origin) {
    return origin.starts_with(kScheme) && is_this_server(origin.substr(kScheme.size()), port);
  };
  if (!absent_or(headers(lines, "sec-fetch-site"), own_site)) return refused(403);
  if (!absent_or(headers(lines, "origin"), own_origin)) return refused(403);
  if (method != "GET" && method != "HEAD") return refused(405);

  HttpReply reply;
  reply.status = target == "/" || target == "/data.json" ? 200 : 404;
  reply.resource = target == "/data.json" ? Resource::Data : Resource::Page;
  reply.with_body = method == "GET";
  if (const auto tags = headers(lines, "if-none-match"); tags.size() == 1) reply.if_none_match = tags.front();
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
