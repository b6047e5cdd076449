#include "plumb/metric/ngrams.h"

#include <algorithm>

namespace plumb {

std::u32string WordNumbers::of(std::span<const std::string_view> words) {
  std::u32string sequence;
  sequence.reserve(words.size());
  for (const std::string_view word : words) {
    const auto next = static_cast<char32_t>(numbers_.size());
    sequence.push_back(numbers_.try_emplace(std::string(word), next).first->second);
  }
  return sequence;
}

NgramCounts count_ngrams(std::u32string_view sequence, size_t n) {
  NgramCounts counts;
  counts.reserve(static_cast<size_t>(ngram_total(sequence, n)));
  for (size_t i = 0; i + n <= sequence.size(); ++i) ++counts[sequence.substr(i, n)];
  return counts;
}

int64_t ngram_total(std::u32string_view sequence, size_t n) {
  return sequence.size() < n ? 0 : static_cast<int64_t>(sequence.size() - n + 1);
}

int64_t matches(const NgramCounts& a, const NgramCounts& b) {
  int64_t sum = 0;
  for (const auto& [ngram, count] : a) {
    if (const auto found = b.find(ngram); found != b.end()) sum += std::min(count, found->second);
  }
  return sum;
}

void keep_larger(NgramCounts& counts, const NgramCounts& other) {
  for (const auto& [ngram, count] : other) {
    int64_t& here = counts[ngram];
    here = std::max(here, count);
  }
}

}  // namespace plumb
