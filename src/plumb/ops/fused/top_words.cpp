#include "plumb/ops/fused/top_words.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "plumb/kernel/cross_entropy.h"
#include "plumb/ops/fused/best_words.h"
#include "plumb/ops/fused/linear.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {
namespace {

constexpr int64_t kLogits = 1 << 22;  // of a chunk

void choose_rows(const float* logits, int64_t words, int64_t first, int64_t rows, int64_t chosen, TopWords& result) {
  for_each_chunk({rows, 8}, [&](int64_t begin, int64_t end) {
    BestWords<float> best(result.count);
    for (int64_t row = begin; row < end; ++row) {
      const float* own = logits + row * words;
      best.find(own, words);
      // Of its best word the cross-entropy is log_sum - score.
      const int64_t target = best.found() > 0 ? best.word(0) : 0;
      double nll = 0;
      kernel::cross_entropy_losses({.words = words, .targets = &target, .nll = &nll}, own, 0, 1);
      write_row(result, first + row, best, nll + static_cast<double>(own[target]), static_cast<double>(own[chosen]));
    }
  });
}

}  // namespace

TopWords no_words(int64_t rows, int64_t count) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const auto all = static_cast<size_t>(rows * count);
  return {count, std::vector<int32_t>(all), std::vector<double>(all, kNone),
          std::vector<double>(static_cast<size_t>(rows), kNone)};
}

TopWords projected_top_words_fused(const at::Tensor& features, const at::Tensor& weight, int64_t count,
                                   int64_t chosen) {
  const int64_t rows = features.size(0), words = weight.size(0);
  TopWords result = no_words(rows, std::min(count, words));
  const RowChunks chunks{rows, std::max<int64_t>(16, kLogits / words)};
  for (int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
    const int64_t begin = chunks.begin(chunk), length = chunks.end(chunk) - begin;
    const at::Tensor logits = linear_fused(features.narrow(0, begin, length), weight, {}, /*with_skip=*/false).y;
    choose_rows(logits.data_ptr<float>(), words, begin, length, chosen, result);
  }
  return result;
}

}  // namespace plumb::ops
