#include "plumb/ops/top_words.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "plumb/kernel/cross_entropy.h"
#include "plumb/ops/fused/parallel.h"
#include "plumb/ops/linear.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr int64_t kLogits = 1 << 22;  // of a chunk

/// The best of the scores seen so far, best first. Few: a new one is put in its place by moving the others.
template <class T>
class Best {
 public:
  explicit Best(int64_t count) : scores_(static_cast<size_t>(count)), words_(static_cast<size_t>(count)) {}

  void find(const T* scores, int64_t n) {
    found_ = 0;
    const auto room = static_cast<int64_t>(scores_.size());
    T least = -std::numeric_limits<T>::infinity();
    for (int64_t word = 0; word < n; ++word) {
      if (!(scores[word] > least)) continue;  // a NaN is never among the best
      int64_t place = found_ < room ? found_++ : room - 1;
      for (; place > 0 && scores[word] > scores_[static_cast<size_t>(place - 1)]; --place) {
        scores_[static_cast<size_t>(place)] = scores_[static_cast<size_t>(place - 1)];
        words_[static_cast<size_t>(place)] = words_[static_cast<size_t>(place - 1)];
      }
      scores_[static_cast<size_t>(place)] = scores[word];
      words_[static_cast<size_t>(place)] = static_cast<int32_t>(word);
      if (found_ == room) least = scores_.back();
    }
  }

  int64_t found() const { return found_; }
  T score(int64_t i) const { return scores_[static_cast<size_t>(i)]; }
  int32_t word(int64_t i) const { return words_[static_cast<size_t>(i)]; }

 private:
  std::vector<T> scores_;
  std::vector<int32_t> words_;
  int64_t found_ = 0;
};

TopWords empty(int64_t rows, int64_t count) {
  const auto all = static_cast<size_t>(rows * count);
  return {count, std::vector<int32_t>(all), std::vector<double>(all, kNone),
          std::vector<double>(static_cast<size_t>(rows), kNone)};
}

/// Writes row `row` of the result, given the logarithm of the sum of all exponentials.
template <class T>
void write(TopWords& result, int64_t row, const Best<T>& best, double log_sum, double chosen) {
  for (int64_t i = 0; i < best.found(); ++i) {
    const auto at = static_cast<size_t>(row * result.count + i);
    result.words[at] = best.word(i);
    result.log_p[at] = static_cast<double>(best.score(i)) - log_sum;
  }
  result.chosen[static_cast<size_t>(row)] = chosen - log_sum;
}

void fused_rows(const float* logits, int64_t words, int64_t first, int64_t rows, int64_t chosen, TopWords& result) {
  for_each_chunk({rows, 8}, [&](int64_t begin, int64_t end) {
    Best<float> best(result.count);
    for (int64_t row = begin; row < end; ++row) {
      const float* own = logits + row * words;
      best.find(own, words);
      // Of its best word the cross-entropy is log_sum - score.
      const int64_t target = best.found() > 0 ? best.word(0) : 0;
      double nll = 0;
      kernel::cross_entropy_losses({.words = words, .targets = &target, .nll = &nll}, own, 0, 1);
      write(result, first + row, best, nll + static_cast<double>(own[target]), static_cast<double>(own[chosen]));
    }
  });
}

TopWords reference(const at::Tensor& logits, int64_t count, int64_t chosen) {
  const at::Tensor log_p = logits.to(at::kCPU, at::kDouble).log_softmax(-1).contiguous();
  TopWords result = empty(log_p.size(0), std::min(count, log_p.size(1)));
  Best<double> best(result.count);
  for (int64_t row = 0; row < log_p.size(0); ++row) {
    const double* own = log_p.data_ptr<double>() + row * log_p.size(1);
    best.find(own, log_p.size(1));
    write(result, row, best, /*log_sum=*/0, own[chosen]);
  }
  return result;
}

}  // namespace

TopWords top_words(const at::Tensor& logits, int64_t count, int64_t chosen) {
  return reference(logits, count, chosen);
}

TopWords projected_top_words(const at::Tensor& features, const at::Tensor& weight, int64_t count, int64_t chosen) {
  const at::NoGradGuard no_grad;
  if (!takes_fused_path(features)) return reference(at::mm(features, weight.t()), count, chosen);
  const int64_t rows = features.size(0), words = weight.size(0);
  TopWords result = empty(rows, std::min(count, words));
  const RowChunks chunks{rows, std::max<int64_t>(16, kLogits / words)};
  for (int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
    const int64_t begin = chunks.begin(chunk), length = chunks.end(chunk) - begin;
    const at::Tensor logits = ops::linear(features.narrow(0, begin, length), weight, {});
    fused_rows(logits.data_ptr<float>(), words, begin, length, chosen, result);
  }
  return result;
}

}  // namespace plumb::ops
