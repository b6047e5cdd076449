#include "plumb/metric/tokenize_13a.h"

#include <gtest/gtest.h>

#include "plumb/base/unicode.h"

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

TEST(Tokenize13a, GivesTheGoldenTokensOfEverySentence) {
  for (const auto& one : golden_scores()["cases"]) {
    Lines sentences = one["references"].get<Lines>();
    sentences.insert(sentences.begin(), one["hypothesis"].get<std::string>());
    for (size_t i = 0; i < sentences.size(); ++i) {
      const std::string tokens = tokenize_13a(sentences[i]);
      const auto words = split_at_spaces(tokens);
      EXPECT_EQ(Lines(words.begin(), words.end()), one["tokens_13a"][i].get<Lines>()) << one["name"];
    }
  }
}

// Worked out by hand from mteval-v13a's rules.
TEST(Tokenize13a, TreatsStopsHyphensAndSymbolsAsMtevalDoes) {
  const std::pair<const char*, const char*> kCases[] = {
      {"Hello, world!", "Hello , world !"},
      {"1,000.5 is 1 000", "1,000.5 is 1 000"},
      {"In 1999.", "In 1999 ."},
      {".5 and 5.", ". 5 and 5 ."},
      {"10-20 well-known -5", "10 - 20 well-known -5"},
      {"don't (stop)", "don't ( stop )"},
      {"A &amp; B &quot;C&quot;", "A & B \" C \""},
      {"&amp;lt;", "<"},
      {"x<skipped>y", "xy"},
      {"com-\nputer new\nline", "computer new line"},
      {"à, é.", "à , é ."},
      {"。，", "。，"},
      {"...", ". . ."},
      {"", ""},
  };
  for (const auto& [line, tokens] : kCases) EXPECT_EQ(tokenize_13a(line), tokens);
}

TEST(Tokenize13a, LeavesTokensAlone) {
  for (const auto& one : golden_scores()["cases"]) {
    if (one["name"] == "entities") continue;  // the one case whose tokens hold an entity again
    const std::string once = tokenize_13a(one["hypothesis"].get<std::string>());
    EXPECT_EQ(tokenize_13a(once), once);
  }
}

}  // namespace
}  // namespace plumb::test
