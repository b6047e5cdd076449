#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// The likeliest words of each of R rows, likeliest first; of equal ones the smaller id comes first.
struct TopWords {
  int64_t count = 0;           // of each row
  std::vector<int32_t> words;  // [R, count]
  std::vector<double> log_p;   // [R, count], -infinity where there are no more
  std::vector<double> chosen;  // [R], log p of the word that was asked for besides

  const int32_t* words_of(int64_t row) const { return words.data() + row * count; }
  const double* log_p_of(int64_t row) const { return log_p.data() + row * count; }
};

/// From logits [R, V]; `chosen` is a word whose log p is wanted for every row.
TopWords top_words(const at::Tensor& logits, int64_t count, int64_t chosen);

/// From the logits features W^T. Fused, the rows go through in chunks whose logits stay in the cache. No gradients.
TopWords projected_top_words(const at::Tensor& features, const at::Tensor& weight, int64_t count, int64_t chosen);

}  // namespace plumb::ops
