#include "plumb/report/page.h"

#include <cmath>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/report/assets.h"
#include "plumb/report/page_data.h"

namespace plumb::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string file_text(const std::string& path) {
  std::ifstream in(std::string(PLUMB_SOURCE_DIR) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

json empty_data() {
  return page_data({});
}

/// What stands between two marks, from the n-th of the first on.
std::string between(const std::string& text, const std::string& begin, const std::string& end, size_t from = 0) {
  const size_t start = text.find(begin, from) + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

TEST(Page, ItsPolicyAllowsNothingElse) {
  const std::string file = content_security_policy(PageKind::File), served = content_security_policy(PageKind::Served);
  EXPECT_THAT(file, HasSubstr("default-src 'none'"));
  EXPECT_THAT(file, HasSubstr("require-trusted-types-for 'script'"));
  for (const char* word : {"unsafe", "http", "*", "connect-src"}) EXPECT_THAT(file, Not(HasSubstr(word)));
  EXPECT_THAT(served, HasSubstr("connect-src 'self'"));
}

TEST(Page, LoadsNothing) {
  const std::string page = page_html(empty_data(), PageKind::File);
  for (const char* mark : {"<link", "<img", "<iframe", "<object", "<embed", "<base", "<form", "<audio", "<video",
                           "<source", "<script src", "@import", "url(", "{{"}) {
    EXPECT_THAT(page, Not(HasSubstr(mark)));
  }
}

TEST(Page, NoScriptOfOursWritesMarkup) {
  const std::string script(asset("report.js"));
  for (const char* word : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                           "'style'", ".srcdoc"}) {
    EXPECT_THAT(script, Not(HasSubstr(word)));
  }
}

TEST(Page, TheLicenceOfTheChartsGoesWithThem) {
  EXPECT_THAT(page_html(empty_data(), PageKind::File), HasSubstr(file_text("third_party/uplot/LICENSE")));
  EXPECT_EQ(asset("uPlot LICENSE").find("--"), std::string::npos) << "it stands in a comment";
}

TEST(Page, AssetsAreTheFilesOfTheTree) {
  EXPECT_EQ(asset("page.html"), file_text("src/plumb/report/assets/page.html"));
  EXPECT_EQ(asset("report.css"), file_text("src/plumb/report/assets/report.css"));
  EXPECT_EQ(asset("uPlot.iife.min.js"), file_text("third_party/uplot/uPlot.iife.min.js"));
  EXPECT_EQ(asset("uPlot.min.css"), file_text("third_party/uplot/uPlot.min.css"));
  EXPECT_THAT(std::string(asset("report.js")), HasSubstr(file_text("src/plumb/report/assets/99_main.js")));
}

// Whatever a run contains: the element that holds the data ends where we end it, and the data reads back the same.
TEST(ScriptJson, NoTextEndsItsElement) {
  json hostile = json::array();
  for (const char* text : {"</script><script>alert(1)</script>", "<!--<script>", "]]>", "&lt;/script&gt;",
                           "\xe2\x80\xa8\xe2\x80\xa9", "\\u003c/script>", "\"};alert(1);//", "{{script}}", "{{uplot}}",
                           "{{data}}", "\x01\x1f\x7f", "\xf0\x9f\x98\x80"}) {
    hostile.push_back(text);
    hostile.push_back({{text, text}});
  }
  const std::string safe = to_script_json(hostile);
  for (const char* mark : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    EXPECT_EQ(safe.find(mark), std::string::npos) << mark;
  EXPECT_EQ(json::parse(safe), hostile);

  json data = empty_data();
  data["made"] = hostile;
  const std::string page = page_html(data, PageKind::File);
  const std::string block = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
  EXPECT_EQ(json::parse(block), data);
}

TEST(ScriptJson, BytesThatAreNoTextAndNumbersThatAreNotFinite) {
  const std::string safe = to_script_json({{"text", "a\xff<"}, {"nan", std::nan("")}, {"inf", -HUGE_VAL}});
  const json back = json::parse(safe);
  EXPECT_EQ(back["text"], "a\xef\xbf\xbd<");
  EXPECT_EQ(back["nan"], "NaN");
  EXPECT_EQ(back["inf"], "-Infinity");
}

}  // namespace
}  // namespace plumb::report
