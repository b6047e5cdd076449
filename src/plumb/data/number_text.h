#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/split.h"

namespace plumb {

/// A text that counts: "twenty-one , twenty-four , twenty-seven ." and on, sentence by sentence, up or down. Two
/// numbers are enough to know all that follow, so a model that uses what it has read does far better than one that does
/// not.
struct NumberDocument {
  int64_t start = 0, step = 0;         // step: not 0; below 0 it counts down
  std::vector<std::string> sentences;  // 3 to 6, of 3 to 6 numbers each
};

/// For language models, and masked ones: `count` documents of one split with numbers up to `largest` (at least 99),
/// drawn from the stream (seed, split). No two have the same start and step, and these decide the split; texts with the
/// same step may still pass through the same numbers.
std::vector<NumberDocument> number_documents(Split split, int64_t count, int64_t largest, uint64_t seed);

/// One sentence per line, an empty line between documents.
std::vector<std::string> lines_of(const std::vector<NumberDocument>& documents);

/// One number in three ways, in any order: in English words, in German ones, and in English digits. Each tells the
/// others, so a model that has learnt to fill one in knows what the pairs below are about. `count` of them with numbers
/// of one split (data/numbers.h), drawn from the stream (seed, split); a number may come twice, in another order.
std::vector<std::vector<std::string>> number_paraphrases(Split split, int64_t count, int64_t largest, uint64_t seed);

/// The built-in text about numbers: `count` documents that count and as many that say a number in three ways, in turns;
/// one sentence per line, an empty line between documents.
std::vector<std::string> number_text(Split split, int64_t count, int64_t largest, uint64_t seed);

/// For the classification of pairs: is the second sentence the same number? The first is in English words, the second
/// in German ones or in English digits ("four two one"). Where the answer is no, the second is a number of the same
/// length, and one time in four a near miss, which has the digits of the first in another order, or all but one: the
/// easy ones teach how to compare, and on the others words without their places do not help.
struct LabelledPairs {
  std::vector<std::string> labels;  // "1": the same, "0": not; half of either
  std::vector<std::string> first, second;
};

/// `count` pairs, none with a first number that came four times already, all numbers of one split (data/numbers.h),
/// drawn from the stream (seed, split). As many of either label; of an odd count the one more is a "0".
LabelledPairs number_pairs_labelled(Split split, int64_t count, int64_t largest, uint64_t seed);

/// "four two one"
std::string english_digits(int64_t number);

}  // namespace plumb
