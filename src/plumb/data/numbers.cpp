#include "plumb/data/numbers.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 20> kEnglishSmall = {
    "zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
    "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kEnglishTens = {"",      "",      "twenty",  "thirty", "forty",
                                                           "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array<std::string_view, 20> kGermanSmall = {
    "null", "ein", "zwei",  "drei",     "vier",     "fünf",     "sechs",    "sieben",   "acht",     "neun",
    "zehn", "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
constexpr std::array<std::string_view, 10> kGermanTens = {"",        "",        "zwanzig", "dreißig", "vierzig",
                                                          "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};

std::string_view pick(const auto& words, int64_t index) {
  return words[static_cast<size_t>(index)];
}

std::string english_below_thousand(int64_t n) {
  std::string text;
  if (n >= 100) {
    text = std::string(pick(kEnglishSmall, n / 100)) + " hundred";
    n %= 100;
    if (n == 0) return text;
    text += ' ';
  }
  if (n < 20) return text + std::string(pick(kEnglishSmall, n));
  text += pick(kEnglishTens, n / 10);
  if (n % 10) text += '-' + std::string(pick(kEnglishSmall, n % 10));
  return text;
}

// As part of a larger word: "ein", not "eins".
std::string german_below_thousand(int64_t n) {
  std::string text;
  if (n >= 100) {
    text = std::string(pick(kGermanSmall, n / 100)) + "hundert";
    n %= 100;
    if (n == 0) return text;
  }
  if (n < 20) return text + std::string(pick(kGermanSmall, n));
  if (n % 10) text += std::string(pick(kGermanSmall, n % 10)) + "und";
  return text + std::string(pick(kGermanTens, n / 10));
}

void check_range(int64_t number) {
  if (number >= 0 && number < 1'000'000'000) return;
  throw UserError("numbers", std::to_string(number) + " has no words here", "Numbers go from 0 to 999999999");
}

}  // namespace

std::string english_number(int64_t number) {
  check_range(number);
  if (number == 0) return std::string(kEnglishSmall[0]);
  std::string text;
  const auto add = [&](int64_t part, std::string_view unit) {
    if (part == 0) return;
    if (!text.empty()) text += ' ';
    text += english_below_thousand(part);
    if (!unit.empty()) text += ' ' + std::string(unit);
  };
  add(number / 1'000'000, "million");
  add(number / 1000 % 1000, "thousand");
  add(number % 1000, "");
  return text;
}

std::string german_number(int64_t number) {
  check_range(number);
  if (number == 0) return std::string(kGermanSmall[0]);
  std::string text;
  const int64_t millions = number / 1'000'000, thousands = number / 1000 % 1000, rest = number % 1000;
  if (millions == 1) text = "eine Million";
  if (millions > 1) text = german_below_thousand(millions) + " Millionen";
  if (millions && number % 1'000'000) text += ' ';
  if (thousands) text += german_below_thousand(thousands) + "tausend";
  if (rest) text += german_below_thousand(rest);
  if (rest % 100 == 1) text += 's';  // "eins" at the end of a number, "ein" within it
  return text;
}

int64_t draw_number(RandomStream& random, int64_t largest) {
  check_range(largest);
  std::vector<int64_t> bounds;  // 10, 100, ..., largest + 1: a number of each length is equally likely
  for (int64_t bound = 10; bound <= largest; bound *= 10) bounds.push_back(bound);
  bounds.push_back(largest + 1);
  const int64_t bound = bounds[static_cast<size_t>(random.below(bounds.size()))];
  return static_cast<int64_t>(random.below(static_cast<uint64_t>(bound)));
}

NumberPairs number_pairs(Split split, int64_t count, int64_t largest, uint64_t seed) {
  check_range(largest);
  RandomStream random(seed, "numbers/" + std::string(name_of(split)));
  NumberPairs pairs;
  std::set<int64_t> seen;
  // Short numbers run out soon; a draw that was seen before is drawn again at another length.
  for (int64_t tries = 0; std::ssize(pairs.numbers) < count; ++tries) {
    if (tries > 100 * count + 10'000) {
      throw UserError(
          "data.numbers_max",
          "there are not " + std::to_string(count) + " numbers up to " + std::to_string(largest) + " in this split",
          "Ask for fewer numbers or set it higher");
    }
    const int64_t number = draw_number(random, largest);
    if (split_of(number) != split || !seen.insert(number).second) continue;
    pairs.numbers.push_back(number);
    pairs.english.push_back(english_number(number));
    pairs.german.push_back(german_number(number));
  }
  return pairs;
}

}  // namespace plumb
