#include "plumb/base/unicode.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "plumb/base/sha256.h"

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

const std::string kBroken[] = {"\x80", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE4\xBD", "a\xFFz"};

TEST(Unicode, DecodesOneTwoThreeAndFourBytes) {
  EXPECT_EQ(decode_utf8("aé€😀"), U"a\u00E9\u20AC\U0001F600");
  EXPECT_EQ(encode_utf8(U"a\u00E9\u20AC\U0001F600"), "aé€😀");
}

TEST(Unicode, KeepsBytesThatAreNotUtf8Apart) {
  for (const std::string& text : kBroken) EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
  EXPECT_EQ(decode_utf8("\xC0\xAF").size(), 2u) << "an overlong slash is two bytes, not a slash";
  EXPECT_NE(decode_utf8("\x80"), decode_utf8("\x81"));
}

TEST(Unicode, SplitsWherePythonDoes) {
  const auto spaces = golden_scores()["lowercase"]["spaces"].get<std::vector<uint32_t>>();
  for (char32_t c = 0; c < 0x110000; ++c) {
    const bool expected = std::ranges::binary_search(spaces, static_cast<uint32_t>(c));
    ASSERT_EQ(is_space(c), expected) << std::hex << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(split_at_spaces("\u3000 a\u00A0bc\t\n").size(), 2u);
  EXPECT_TRUE(split_at_spaces(" \u2003 ").empty());
  EXPECT_EQ(split_at_spaces("voilà là").front(), "voilà") << "à ends with the byte A0, which is no space";
  EXPECT_EQ(strip_spaces("\u00A0 à b à\r\n"), "à b à");
  EXPECT_EQ(strip_spaces(" \t"), "");
}

TEST(Unicode, LowercasesEveryCodePointAsPythonDoes) {
  std::string all;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    if (c > 0) all += '\n';
    all += lowercase(encode_utf8(std::u32string(1, c)));
  }
  EXPECT_EQ(sha256_hex(all), golden_scores()["lowercase"]["sha256"].get<std::string>());
}

TEST(Unicode, LowercasesTextsAsPythonDoes) {
  for (const auto& pair : golden_scores()["lowercase"]["texts"]) {
    EXPECT_EQ(lowercase(pair[0].get<std::string>()), pair[1].get<std::string>());
  }
  for (const auto& one : golden_scores()["cases"]) {
    EXPECT_EQ(lowercase(one["hypothesis"].get<std::string>()), one["lowercase"].get<std::string>());
  }
}

}  // namespace
}  // namespace plumb::test
