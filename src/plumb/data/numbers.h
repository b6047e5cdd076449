#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/split.h"

namespace plumb {

class RandomStream;

/// "four hundred twenty-one thousand seven", for 0 .. 999,999,999.
std::string english_number(int64_t number);

/// "vierhunderteinundzwanzigtausendsieben": one word below a million, units before tens.
std::string german_number(int64_t number);

/// A built-in translation task that is real language: number words in English and German. The order of units and tens
/// differs, German joins them into one word, and each answer is exact.
///
/// Every number belongs to one split for good (by a hash of the number alone), so what is tested was never trained on.
/// Long and short numbers are equally frequent.
struct NumberPairs {
  std::vector<int64_t> numbers;
  std::vector<std::string> english, german;
};

/// `count` different numbers up to `largest` from one split, drawn from the stream (seed, split).
NumberPairs number_pairs(Split split, int64_t count, int64_t largest, uint64_t seed);

/// A number from 0 to `largest`; long and short ones are equally likely.
int64_t draw_number(RandomStream& random, int64_t largest);

}  // namespace plumb
