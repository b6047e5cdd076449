#include "plumb/data/number_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"
#include "plumb/data/numbers.h"

namespace plumb {
namespace {

constexpr int64_t kShortest = 3, kLongest = 6;  // sentences of a document, and numbers of a sentence
constexpr int64_t kLargestStep = 12;
constexpr int64_t kSmallestLargest = 99;
constexpr int kNumberUses = 4;  // of a number in labelled pairs

RandomStream stream(uint64_t seed, const char* purpose, Split split) {
  return {seed, fmt::format("{}/{}", purpose, name_of(split))};
}

void check_tries(int64_t tries, int64_t count, int64_t largest, const char* what) {
  if (tries <= 1000 * count + 10'000) return;
  throw UserError("data.numbers_max", fmt::format("there are not {} {} up to {} in this split", count, what, largest),
                  "Ask for fewer or set it higher");
}

int64_t between(RandomStream& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random.below(static_cast<uint64_t>(high - low + 1)));
}

std::string counting(int64_t& next, int64_t step, int64_t numbers) {
  std::string sentence;
  for (int64_t i = 0; i < numbers; ++i, next += step)
    sentence += english_number(next) + (i + 1 < numbers ? " , " : " .");
  return sentence;
}

std::string decimal(int64_t number) {
  return std::to_string(number);
}

// The words of a number swap when two of its digits do; where they are equal, it stays the same.
std::string swapped(std::string digits, RandomStream& random) {
  const size_t a = random.below(digits.size()), b = random.below(digits.size());
  std::swap(digits[a], digits[b]);
  return digits;
}

std::string with_another_digit(std::string digits, RandomStream& random) {
  digits[random.below(digits.size())] = static_cast<char>('0' + random.below(10));
  return digits;
}

// Another number of the same length and split, or none if a few tries find none. From the near miss to the number the
// way is as likely as from the number to it: neither looks like an original.
std::optional<int64_t> near_miss(int64_t number, int64_t largest, Split split, RandomStream& random) {
  constexpr int kTries = 50;
  const std::string digits = decimal(number);
  for (int i = 0; i < kTries; ++i) {
    const std::string other =
        digits.size() > 1 && random.below(2) == 0 ? swapped(digits, random) : with_another_digit(digits, random);
    const int64_t miss = std::stoll(other);
    if (miss == number || (other.front() == '0' && other.size() > 1) || miss > largest) continue;
    if (split_of(miss) == split) return miss;
  }
  return std::nullopt;
}

// Any other number of the same length and split, or none if a few tries find none.
std::optional<int64_t> far_miss(int64_t number, int64_t largest, Split split, RandomStream& random) {
  constexpr int kTries = 200;
  const size_t length = decimal(number).size();
  for (int i = 0; i < kTries; ++i) {
    const int64_t miss = draw_number(random, largest);
    if (miss != number && decimal(miss).size() == length && split_of(miss) == split) return miss;
  }
  return std::nullopt;
}

std::vector<bool> shuffled_labels(int64_t count, RandomStream& random) {
  std::vector<bool> same(static_cast<size_t>(std::max(count, int64_t{0})));
  for (size_t i = 0; i < same.size() / 2; ++i) same[i] = true;
  for (size_t i = same.size(); i > 1; --i) {
    const size_t j = random.below(i);
    const bool kept = same[i - 1];
    same[i - 1] = same[j];
    same[j] = kept;
  }
  return same;
}

}  // namespace

std::vector<NumberDocument> number_documents(Split split, int64_t count, int64_t largest, uint64_t seed) {
  if (largest < kSmallestLargest) {
    throw UserError("data.numbers_max", fmt::format("there is no room to count up to {}", largest),
                    fmt::format("Set it to {} or higher", kSmallestLargest));
  }
  const int64_t largest_step = std::min(kLargestStep, largest / (kLongest * kLongest));
  RandomStream random = stream(seed, "number_documents", split);
  std::vector<NumberDocument> documents;
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t tries = 0; std::ssize(documents) < count; ++tries) {
    check_tries(tries, count, largest, "texts with numbers");
    NumberDocument document;
    document.start = draw_number(random, largest);
    document.step = between(random, 1, largest_step) * (random.below(2) == 0 ? 1 : -1);
    std::vector<int64_t> lengths(static_cast<size_t>(between(random, kShortest, kLongest)));
    int64_t numbers = 0;
    for (int64_t& length : lengths) numbers += length = between(random, kShortest, kLongest);
    const int64_t last = document.start + (numbers - 1) * document.step;
    if (last < 0 || last > largest || split_of(fmt::format("{} {}", document.start, document.step)) != split) continue;
    if (!seen.emplace(document.start, document.step).second) continue;
    int64_t next = document.start;
    for (const int64_t length : lengths) document.sentences.push_back(counting(next, document.step, length));
    documents.push_back(std::move(document));
  }
  return documents;
}

std::vector<std::string> lines_of(const std::vector<NumberDocument>& documents) {
  std::vector<std::string> lines;
  for (const NumberDocument& document : documents) {
    if (!lines.empty()) lines.emplace_back();
    lines.insert(lines.end(), document.sentences.begin(), document.sentences.end());
  }
  return lines;
}

std::vector<std::vector<std::string>> number_paraphrases(Split split, int64_t count, int64_t largest, uint64_t seed) {
  RandomStream random = stream(seed, "number_paraphrases", split);
  std::vector<std::vector<std::string>> documents;
  for (int64_t tries = 0; std::ssize(documents) < count; ++tries) {
    check_tries(tries, count, largest, "numbers");
    const int64_t number = draw_number(random, largest);
    if (split_of(number) != split) continue;
    std::vector<std::string> ways = {english_number(number), german_number(number), english_digits(number)};
    for (size_t i = ways.size(); i > 1; --i) std::swap(ways[i - 1], ways[random.below(i)]);
    documents.push_back(std::move(ways));
  }
  return documents;
}

std::vector<std::string> number_text(Split split, int64_t count, int64_t largest, uint64_t seed) {
  const std::vector<NumberDocument> counting = number_documents(split, count, largest, seed);
  const std::vector<std::vector<std::string>> said = number_paraphrases(split, count, largest, seed);
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<std::string>& sentences) {
    if (!lines.empty()) lines.emplace_back();
    lines.insert(lines.end(), sentences.begin(), sentences.end());
  };
  for (size_t i = 0; i < counting.size(); ++i) {
    add(counting[i].sentences);
    add(said[i]);
  }
  return lines;
}

LabelledPairs number_pairs_labelled(Split split, int64_t count, int64_t largest, uint64_t seed) {
  RandomStream random = stream(seed, "number_pairs", split);
  const std::vector<bool> same = shuffled_labels(count, random);
  LabelledPairs pairs;
  std::map<int64_t, int> uses;
  for (int64_t tries = 0; std::ssize(pairs.labels) < count; ++tries) {
    check_tries(tries, count, largest, "pairs of numbers");
    const int64_t number = draw_number(random, largest);
    if (split_of(number) != split || uses[number] == kNumberUses) continue;
    // Drawn for either label: what has no near miss must not be a sign of the label "1".
    const std::optional<int64_t> miss =
        random.below(4) == 0 ? near_miss(number, largest, split, random) : far_miss(number, largest, split, random);
    if (!miss) continue;
    const bool is_same = same[pairs.labels.size()];
    const int64_t other = is_same ? number : *miss;
    const std::string first = english_number(number);
    const std::string second = random.below(2) == 0 ? german_number(other) : english_digits(other);
    // Whatever the label: if only new pairs counted, the few short numbers would run out of right answers first, and
    // their length would be a sign of the label "0".
    ++uses[number];
    pairs.labels.emplace_back(is_same ? "1" : "0");
    pairs.first.push_back(first);
    pairs.second.push_back(second);
  }
  return pairs;
}

std::string english_digits(int64_t number) {
  std::string text;
  for (const char digit : decimal(number)) {
    if (!text.empty()) text += ' ';
    text += english_number(digit - '0');
  }
  return text;
}

}  // namespace plumb
