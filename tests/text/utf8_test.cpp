#include "plumb/text/utf8.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

constexpr size_t kNone = std::string_view::npos;

// The form that UTF-8 would have for a number, also where there is no such code point.
std::string in_bytes(char32_t point) {
  const int after = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const unsigned lead = after == 1 ? 0xC0 : after == 2 ? 0xE0 : 0xF0;
  std::string text(1, static_cast<char>(lead | point >> 6 * after));
  for (int i = after - 1; i >= 0; --i) text += static_cast<char>(0x80 | (point >> 6 * i & 0x3F));
  return text;
}

TEST(Utf8, AcceptsEveryCodePointAndNothingElse) {
  for (char32_t point = 0x80; point <= 0x1FFFFF; point += point < 0x3000 || point > 0xD7F0 ? 1 : 7) {
    const std::string text = in_bytes(point);
    const bool valid = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
    ASSERT_EQ(find_invalid_utf8(text), valid ? kNone : 0) << std::hex << static_cast<uint32_t>(point);
    if (valid) {
      ASSERT_EQ(code_points(text), std::vector<char32_t>{point});
      ASSERT_EQ(code_point_length(text, 0), text.size());
    }
  }
}

TEST(Utf8, FindsTheFirstInvalidByteWhereverItStands) {
  const std::string text = "plain ASCII and Größe, 日本語 🙂 and so on";
  EXPECT_EQ(find_invalid_utf8(text), kNone);
  EXPECT_EQ(find_invalid_utf8(""), kNone);
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
    std::string broken = text;
    broken.insert(at, "\xFF");
    EXPECT_EQ(find_invalid_utf8(broken), at);
    EXPECT_EQ(replace_invalid_utf8(broken), text.substr(0, at) + "\xEF\xBF\xBD" + text.substr(at));
  }
}

TEST(Utf8, ReplacesAsManySequencesAsPythonDoes) {
  // bytes.decode("utf-8", "replace") of each.
  const std::string r(kReplacement);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"abc", "abc"},
      {"\x80", r},
      {"a\xFFz", "a" + r + "z"},
      {"\xC3", r},
      {"\xC3(", r + "("},
      {"\xE2\x82", r},
      {"\xE2\x82z", r + "z"},
      {"\xE2\x28\xA1", r + "(" + r},
      {"\xF0\x9F\x99", r},
      {"\xF0\x9F\x99\xF0\x9F\x99\x82", r + "\xF0\x9F\x99\x82"},
      {"\xC0\x80", r + r},                  // overlong NUL
      {"\xE0\x80\x80", r + r + r},          // overlong
      {"\xED\xA0\x80", r + r + r},          // a surrogate
      {"\xF4\x90\x80\x80", r + r + r + r},  // above U+10FFFF
      {"\xF8\x88\x80\x80\x80", r + r + r + r + r},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(replace_invalid_utf8(text), expected);
    EXPECT_EQ(find_invalid_utf8(replace_invalid_utf8(text)), kNone);
  }
}

TEST(Utf8, CountsAnInvalidByteAsOneStep) {
  EXPECT_EQ(code_point_length("\xE2\x82", 0), 1u);
  EXPECT_EQ(code_points("a\xFF\xC3\xA4"), (std::vector<char32_t>{'a', 0xFFFD, 0xE4}));
}

}  // namespace
}  // namespace plumb
