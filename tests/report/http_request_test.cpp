#include "plumb/report/http_request.h"

#include <gtest/gtest.h>

namespace plumb::report {
namespace {

std::string request(const std::string& line, const std::string& host = "127.0.0.1:8080", const std::string& more = "") {
  return line + "\r\nHost: " + host + "\r\n" + more + "\r\n";
}

int status(const std::string& head) {
  return answer_to(head, 8080).status;
}

TEST(HttpRequest, HasTwoResources) {
  EXPECT_EQ(status(request("GET / HTTP/1.1")), 200);
  EXPECT_EQ(answer_to(request("GET / HTTP/1.1"), 8080).resource, Resource::Page);
  EXPECT_EQ(answer_to(request("GET /data.json HTTP/1.1"), 8080).resource, Resource::Data);
  EXPECT_TRUE(answer_to(request("GET /data.json HTTP/1.1"), 8080).with_body);
  EXPECT_FALSE(answer_to(request("HEAD / HTTP/1.1"), 8080).with_body);
}

TEST(HttpRequest, NoOtherPathIsEverLookedAt) {
  for (const char* path : {"/etc/passwd", "/../etc/passwd", "//", "/data.json?x", "/data.json/", "/%2e%2e/",
                           "/log.jsonl", "*", "http://127.0.0.1:8080/", "/ /"}) {
    EXPECT_EQ(status(request("GET " + std::string(path) + " HTTP/1.1")), 404) << path;
  }
}

TEST(HttpRequest, OnlyTheLoopbackNamesWithThePortAreHosts) {
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080"})
    EXPECT_EQ(status(request("GET / HTTP/1.1", host)), 200) << host;
  for (const char* host : {"", "127.0.0.1", "localhost", "127.0.0.1:8081", "evil.example:8080",
                           "127.0.0.1.evil.example:8080", "0.0.0.0:8080", "[::1]:8080", "localhost:8080.evil",
                           "127.1:8080", "user@localhost:8080", "localhost:8080, evil"}) {
    EXPECT_EQ(status(request("GET / HTTP/1.1", host)), 403) << host;
  }
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 403) << "no host at all";
  EXPECT_EQ(status(request("GET / HTTP/1.1", "localhost:8080", "Host: evil\r\n")), 403) << "two hosts";
}

TEST(HttpRequest, OnlyReading) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", "PRI"}) {
    EXPECT_EQ(status(request(std::string(method) + " / HTTP/1.1")), 405) << method;
  }
}

TEST(HttpRequest, OtherSitesGetNoData) {
  EXPECT_EQ(status(request("GET /data.json HTTP/1.1", "localhost:8080", "Sec-Fetch-Site: cross-site\r\n")), 403);
  EXPECT_EQ(status(request("GET /data.json HTTP/1.1", "localhost:8080", "Sec-Fetch-Site: same-origin\r\n")), 200);
}

TEST(HttpRequest, OtherOriginsGetNothing) {
  const auto from = [](const std::string& origin) {
    return status(request("GET /data.json HTTP/1.1", "localhost:8080", "Origin: " + origin + "\r\n"));
  };
  EXPECT_EQ(from("http://localhost:8080"), 200);
  EXPECT_EQ(from("http://127.0.0.1:8080"), 200);
  for (const char* origin : {"http://evil.example", "null", "", "https://localhost:8080", "http://localhost:8081",
                             "http://localhost", "http://localhost:8080.evil.example", "localhost:8080"}) {
    EXPECT_EQ(from(origin), 403) << origin;
  }
  EXPECT_EQ(status(request("GET / HTTP/1.1", "localhost:8080", "Origin: http://evil.example\r\n")), 403);
}

TEST(HttpRequest, AHeaderThatStandsThereTwiceIsNoneAtAll) {
  const std::string site = "Sec-Fetch-Site: same-origin\r\n", origin = "Origin: http://localhost:8080\r\n";
  EXPECT_EQ(status(request("GET /data.json HTTP/1.1", "localhost:8080", site + site)), 403);
  EXPECT_EQ(status(request("GET /data.json HTTP/1.1", "localhost:8080", site + "sec-fetch-site: cross-site\r\n")), 403);
  EXPECT_EQ(status(request("GET /data.json HTTP/1.1", "localhost:8080", origin + origin)), 403);
}

TEST(HttpRequest, NonsenseIsRefused) {
  for (const char* head :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "\x16\x03\x01\x02\x00\r\n\r\n"}) {
    EXPECT_EQ(status(head), 400) << head;
  }
}

TEST(HttpRequest, TheTagOfWhatThePageHas) {
  EXPECT_EQ(answer_to(request("GET /data.json HTTP/1.1", "localhost:8080", "If-None-Match:  \"abc\" \r\n"), 8080)
                .if_none_match,
            "\"abc\"");
}

}  // namespace
}  // namespace plumb::report
