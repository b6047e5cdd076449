#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

/// Labels and answers are compared without white space at the ends.
bool same_answer(std::string_view hypothesis, std::string_view reference);

/// True if any of the references is that answer.
bool exact_match(std::string_view hypothesis, std::span<const std::string> references);

/// The percentage of lines with the right label.
double accuracy(std::span<const std::string> predictions, std::span<const std::string> labels);

/// For classes of which one, the label "1", is looked for (paraphrases in MRPC). The counts add up over lines.
struct BinaryCounts {
  int64_t true_positives = 0, false_positives = 0, false_negatives = 0;

  double precision() const;  // all in percent; 0 where nothing can be divided
  double recall() const;

  /// 2 TP / (2 TP + FP + FN), the harmonic mean of the two.
  double f1() const;

  BinaryCounts& operator+=(const BinaryCounts& other);
};

BinaryCounts count_binary(std::string_view prediction, std::string_view label);

}  // namespace plumb
