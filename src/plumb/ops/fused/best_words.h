#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plumb/ops/top_words.h"

namespace plumb::ops {

/// The best words of a row by their scores, best first; of equal ones the smaller id. Few: a new one is put in its
/// place by moving the others. Both paths choose by it.
template <class T>
class BestWords {
 public:
  explicit BestWords(int64_t count) : scores_(static_cast<size_t>(count)), words_(static_cast<size_t>(count)) {}

  /// Among scores[0], ..., scores[n - 1].
  template <class Scores>
  void find(const Scores& scores, int64_t n) {
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

/// Room for the result: nothing found yet.
TopWords no_words(int64_t rows, int64_t count);

/// Writes row `row` of the result, given the logarithm of the sum of all exponentials.
template <class T>
void write_row(TopWords& result, int64_t row, const BestWords<T>& best, double log_sum, double chosen) {
  for (int64_t i = 0; i < best.found(); ++i) {
    const auto at = static_cast<size_t>(row * result.count + i);
    result.words[at] = best.word(i);
    result.log_p[at] = static_cast<double>(best.score(i)) - log_sum;
  }
  result.chosen[static_cast<size_t>(row)] = chosen - log_sum;
}

}  // namespace plumb::ops
