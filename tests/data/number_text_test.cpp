#include "plumb/data/number_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/data/numbers.h"

namespace plumb {
namespace {

using NumberWords = std::vector<std::string>;

NumberWords number_words_of(std::string text) {
  std::ranges::replace(text, '-', ' ');
  std::istringstream stream(text);
  NumberWords words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

const std::map<std::string, int64_t> kEnglish = {
    {"zero", 0},      {"one", 1},       {"two", 2},       {"three", 3},    {"four", 4},     {"five", 5},
    {"six", 6},       {"seven", 7},     {"eight", 8},     {"nine", 9},     {"ten", 10},     {"eleven", 11},
    {"twelve", 12},   {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17},
    {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},   {"thirty", 30},  {"forty", 40},   {"fifty", 50},
    {"sixty", 60},    {"seventy", 70},  {"eighty", 80},   {"ninety", 90}};

int64_t parse_english(const std::string& text) {
  int64_t whole = 0, group = 0;
  for (const std::string& word : number_words_of(text)) {
    if (word == "hundred") {
      group *= 100;
    } else if (word == "thousand" || word == "million") {
      whole += group * (word == "thousand" ? 1000 : 1'000'000);
      group = 0;
    } else {
      group += kEnglish.at(word);
    }
  }
  return whole + group;
}

/// Eats number words from the left: "vierhunderteinundzwanzig".
int64_t parse_german(std::string_view text) {
  static const std::vector<std::pair<std::string_view, int64_t>> kUnits = {
      {"dreizehn", 13}, {"vierzehn", 14}, {"fünfzehn", 15}, {"sechzehn", 16}, {"siebzehn", 17}, {"achtzehn", 18},
      {"neunzehn", 19}, {"zwanzig", 20},  {"dreißig", 30},  {"vierzig", 40},  {"fünfzig", 50},  {"sechzig", 60},
      {"siebzig", 70},  {"achtzig", 80},  {"neunzig", 90},  {"zehn", 10},     {"elf", 11},      {"zwölf", 12},
      {"null", 0},      {"eine", 1},      {"eins", 1},      {"ein", 1},       {"zwei", 2},      {"drei", 3},
      {"vier", 4},      {"fünf", 5},      {"sechs", 6},     {"sieben", 7},    {"acht", 8},      {"neun", 9}};
  int64_t whole = 0, group = 0;
  const auto eat = [&](std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  while (!text.empty()) {
    if (eat("hundert")) {
      group *= 100;
    } else if (eat("tausend")) {
      whole += group * 1000;
      group = 0;
    } else if (eat(" Millionen") || eat(" Million")) {
      whole += group * 1'000'000;
      group = 0;
    } else if (!eat("und") && !eat(" ")) {
      const auto unit = std::ranges::find_if(kUnits, [&](const auto& one) { return eat(one.first); });
      if (unit == kUnits.end()) throw std::invalid_argument("not German: " + std::string(text));
      group += unit->second;
    }
  }
  return whole + group;
}

/// "four two one", which is not the sum of its words; -1 if there are other words.
int64_t parse_digits(const std::string& text) {
  int64_t number = 0;
  for (const std::string& word : number_words_of(text)) {
    const auto found = kEnglish.find(word);
    if (found == kEnglish.end() || found->second > 9) return -1;
    number = 10 * number + found->second;
  }
  return number;
}

int64_t parse_second(const std::string& text) {
  const int64_t digits = parse_digits(text);
  return digits >= 0 ? digits : parse_german(text);
}

std::vector<int64_t> numbers_in(const std::string& sentence) {
  std::vector<int64_t> numbers;
  size_t begin = 0;
  for (size_t end; (end = sentence.find(" , ", begin)) != std::string::npos; begin = end + 3) {
    numbers.push_back(parse_english(sentence.substr(begin, end - begin)));
  }
  EXPECT_TRUE(sentence.ends_with(" ."));
  numbers.push_back(parse_english(sentence.substr(begin, sentence.size() - 2 - begin)));
  return numbers;
}

TEST(NumberDocuments, CountFromTheirStartByTheirStep) {
  for (const int64_t largest : {99, 999, 999'999}) {
    for (const NumberDocument& document : number_documents(Split::Train, 50, largest, 1)) {
      EXPECT_TRUE(document.sentences.size() >= 3 && document.sentences.size() <= 6);
      EXPECT_NE(document.step, 0);
      int64_t expected = document.start;
      for (const std::string& sentence : document.sentences) {
        const std::vector<int64_t> numbers = numbers_in(sentence);
        EXPECT_TRUE(numbers.size() >= 3 && numbers.size() <= 6) << sentence;
        for (const int64_t number : numbers) {
          EXPECT_EQ(number, expected) << sentence;
          EXPECT_TRUE(number >= 0 && number <= largest);
          expected += document.step;
        }
      }
    }
  }
}

TEST(NumberDocuments, CountUpAndDownByManySteps) {
  std::map<int64_t, int> steps;
  for (const NumberDocument& document : number_documents(Split::Train, 2000, 9999, 1)) ++steps[document.step];
  EXPECT_EQ(steps.size(), 24u) << "1 to 12, up and down";
  for (const auto& [step, times] : steps) EXPECT_GT(times, 20) << step;
}

TEST(NumberDocuments, OfDifferentSplitsHaveNothingInCommon) {
  std::set<std::pair<int64_t, int64_t>> all;
  std::set<std::string> first_sentences;
  for (const Split split : {Split::Train, Split::Valid, Split::Test}) {
    for (const NumberDocument& document : number_documents(split, 500, 9999, 1)) {
      EXPECT_TRUE(all.emplace(document.start, document.step).second) << document.start << ' ' << document.step;
      EXPECT_TRUE(first_sentences.insert(document.sentences.front()).second) << document.sentences.front();
    }
  }
}

TEST(NumberDocuments, DependOnTheSeedAndNothingElse) {
  const auto lines = [](uint64_t seed) { return lines_of(number_documents(Split::Valid, 20, 999, seed)); };
  EXPECT_EQ(lines(1), lines(1));
  EXPECT_NE(lines(1), lines(2));
}

TEST(NumberDocuments, HaveAnEmptyLineBetweenThem) {
  const std::vector<NumberDocument> documents = {{1, 1, {"one , two .", "three ."}}, {9, -1, {"nine , eight ."}}};
  EXPECT_EQ(lines_of(documents), (std::vector<std::string>{"one , two .", "three .", "", "nine , eight ."}));
  EXPECT_TRUE(lines_of({}).empty());
}

TEST(NumberDocuments, SayWhenThereAreNotEnough) {
  EXPECT_THROW(number_documents(Split::Test, 1000, 99, 1), UserError);
  EXPECT_THROW(number_documents(Split::Train, 1, 98, 1), UserError);
  EXPECT_THROW(number_documents(Split::Train, 1, 1'000'000'000, 1), UserError);
}

TEST(NumberPairsLabelled, HaveTheLabelThatTheirNumbersSay) {
  for (const Split split : {Split::Train, Split::Valid, Split::Test}) {
    const LabelledPairs pairs = number_pairs_labelled(split, 1000, 999'999, 1);
    ASSERT_EQ(pairs.labels.size(), 1000u);
    for (size_t i = 0; i < pairs.labels.size(); ++i) {
      const int64_t first = parse_english(pairs.first[i]), second = parse_second(pairs.second[i]);
      EXPECT_EQ(pairs.labels[i], first == second ? "1" : "0") << pairs.first[i] << " | " << pairs.second[i];
      EXPECT_EQ(split_of(first), split);
      EXPECT_EQ(split_of(second), split) << "near misses too: what is tested was never trained on";
    }
  }
}

TEST(NumberParaphrases, SayOneNumberOfTheSplitInThreeWays) {
  for (const Split split : {Split::Train, Split::Test}) {
    std::set<std::string> first;
    for (const std::vector<std::string>& ways : number_paraphrases(split, 300, 999'999, 1)) {
      ASSERT_EQ(ways.size(), 3u);
      std::set<int64_t> numbers;
      for (const std::string& way : ways) {
        try {
          numbers.insert(parse_digits(way) >= 0 ? parse_digits(way) : parse_english(way));
        } catch (const std::out_of_range&) {  // not an English word
          numbers.insert(parse_second(way));
        }
      }
      EXPECT_EQ(numbers.size(), 1u) << ways[0] << " | " << ways[1] << " | " << ways[2];
      EXPECT_EQ(split_of(*numbers.begin()), split);
      first.insert(ways[0].substr(0, 3));
    }
    EXPECT_GT(first.size(), 20u);
  }
}

TEST(NumberText, TakesTurns) {
  const std::vector<std::string> lines = number_text(Split::Valid, 10, 999, 1);
  std::vector<std::string> expected;
  const auto counting = number_documents(Split::Valid, 10, 999, 1);
  const auto said = number_paraphrases(Split::Valid, 10, 999, 1);
  for (size_t i = 0; i < 10; ++i) {
    for (const auto* sentences : {&counting[i].sentences, &said[i]}) {
      if (!expected.empty()) expected.emplace_back();
      for (const std::string& one : *sentences) expected.push_back(one);
    }
  }
  EXPECT_EQ(lines, expected);
}

TEST(NumberPairsLabelled, AreBalancedExactly) {
  for (const int64_t count : {0, 1, 2, 7, 500}) {
    const LabelledPairs pairs = number_pairs_labelled(Split::Train, count, 9999, 3);
    EXPECT_EQ(std::ranges::count(pairs.labels, "1"), count / 2);
    EXPECT_EQ(std::ranges::count(pairs.labels, "0"), count - count / 2);
  }
}

// A miss has the length of its number; one in four differs in one digit, or in two that changed places.
TEST(NumberPairsLabelled, OneMissInFourIsANearOne) {
  const LabelledPairs pairs = number_pairs_labelled(Split::Train, 4000, 999'999, 1);
  int misses = 0, near = 0, same_digits = 0;
  for (size_t i = 0; i < pairs.labels.size(); ++i) {
    if (pairs.labels[i] == "1") continue;
    std::string a = std::to_string(parse_english(pairs.first[i])), b = std::to_string(parse_second(pairs.second[i]));
    ASSERT_EQ(a.size(), b.size());
    int different = 0;
    for (size_t k = 0; k < a.size(); ++k) different += a[k] != b[k];
    std::ranges::sort(a);
    std::ranges::sort(b);
    EXPECT_GT(different, 0);
    ++misses;
    near += different == 1 || (different == 2 && a == b);
    same_digits += a == b;
  }
  EXPECT_EQ(misses, 2000);
  EXPECT_GT(near, 500 - 100);  // five deviations; short numbers are often near one another anyway
  EXPECT_LT(near, 900);
  EXPECT_GT(same_digits, near / 5) << "the same digits in another order: words without their places say nothing";
}

// Neither sentence alone gives the label away: short and long numbers, German and digits are as frequent in both
// halves.
TEST(NumberPairsLabelled, LookTheSameInBothHalvesOneSentenceAtATime) {
  const LabelledPairs pairs = number_pairs_labelled(Split::Train, 8000, 999'999, 1);
  std::map<std::string, double> firsts, seconds, german;
  for (size_t i = 0; i < pairs.labels.size(); ++i) {
    firsts[pairs.labels[i]] += static_cast<double>(number_words_of(pairs.first[i]).size()) / 4000;
    seconds[pairs.labels[i]] += static_cast<double>(pairs.second[i].size()) / 4000;
    german[pairs.labels[i]] += parse_digits(pairs.second[i]) < 0 ? 1. / 4000 : 0;
  }
  EXPECT_NEAR(firsts["0"], firsts["1"], 0.2);    // of about 8 words; the deviation of the mean is 0.05
  EXPECT_NEAR(seconds["0"], seconds["1"], 1.0);  // of about 40 bytes
  EXPECT_NEAR(german["0"], 0.5, 0.04);
  EXPECT_NEAR(german["1"], 0.5, 0.04);
}

TEST(NumberPairsLabelled, DependOnTheSeedAndNothingElse) {
  const auto pairs = [](uint64_t seed) { return number_pairs_labelled(Split::Valid, 100, 9999, seed); };
  EXPECT_EQ(pairs(1).first, pairs(1).first);
  EXPECT_EQ(pairs(1).second, pairs(1).second);
  EXPECT_EQ(pairs(1).labels, pairs(1).labels);
  EXPECT_NE(pairs(1).first, pairs(2).first);
}

TEST(NumberPairsLabelled, UseANumberFourTimesAtMostAndInOneSplit) {
  std::map<std::string, Split> split_of_first;
  for (const Split split : {Split::Train, Split::Valid, Split::Test}) {
    std::map<std::string, int> uses;
    for (const std::string& first : number_pairs_labelled(split, 300, 999, 1).first) {
      EXPECT_LE(++uses[first], 4) << first;
      EXPECT_EQ(split_of_first.try_emplace(first, split).first->second, split) << first;
    }
  }
}

TEST(NumberPairsLabelled, SayWhenThereAreNotEnough) {
  EXPECT_THROW(number_pairs_labelled(Split::Test, 400, 99, 1), UserError);
  EXPECT_THROW(number_pairs_labelled(Split::Train, 1, -1, 1), UserError);
}

TEST(EnglishDigits, AreReadOneByOne) {
  EXPECT_EQ(english_digits(0), "zero");
  EXPECT_EQ(english_digits(421), "four two one");
  EXPECT_EQ(english_digits(900'007), "nine zero zero zero zero seven");
}

}  // namespace
}  // namespace plumb
