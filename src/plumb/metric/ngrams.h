#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plumb {

/// Gives each different word a number, so that a sentence of words and a sentence of code points are the same type and
/// one counter serves BLEU, ROUGE and both halves of chrF++. Numbers compare only within one object.
class WordNumbers {
 public:
  std::u32string of(std::span<const std::string_view> words);

 private:
  std::unordered_map<std::string, char32_t> numbers_;
};

/// How often each n-gram occurs. The keys are views into the sequence that was counted: keep it alive.
using NgramCounts = std::unordered_map<std::u32string_view, int64_t>;

NgramCounts count_ngrams(std::u32string_view sequence, size_t n);

/// How many n-grams of length n there are, counted with repetition.
int64_t ngram_total(std::u32string_view sequence, size_t n);

/// Sum over the n-grams of the smaller count: each occurrence can be matched once ("clipped" in the BLEU paper).
int64_t matches(const NgramCounts& a, const NgramCounts& b);

/// Raises the counts to those of `other` where these are higher: what several references allow together.
void keep_larger(NgramCounts& counts, const NgramCounts& other);

}  // namespace plumb
