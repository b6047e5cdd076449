#include "plumb/metric/classification.h"

#include <algorithm>
#include <stdexcept>

#include "plumb/base/unicode.h"

namespace plumb {
namespace {

double percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

bool is_positive(std::string_view label) {
  return strip_spaces(label) == "1";
}

}  // namespace

bool same_answer(std::string_view hypothesis, std::string_view reference) {
  return strip_spaces(hypothesis) == strip_spaces(reference);
}

bool exact_match(std::string_view hypothesis, std::span<const std::string> references) {
  return std::ranges::any_of(references, [&](const std::string& one) { return same_answer(hypothesis, one); });
}

double accuracy(std::span<const std::string> predictions, std::span<const std::string> labels) {
  if (predictions.size() != labels.size()) throw std::invalid_argument("accuracy: not one label per prediction");
  int64_t right = 0;
  for (size_t i = 0; i < labels.size(); ++i) right += same_answer(predictions[i], labels[i]);
  return percent(right, static_cast<int64_t>(labels.size()));
}

double BinaryCounts::precision() const {
  return percent(true_positives, true_positives + false_positives);
}

double BinaryCounts::recall() const {
  return percent(true_positives, true_positives + false_negatives);
}

double BinaryCounts::f1() const {
  return percent(2 * true_positives, 2 * true_positives + false_positives + false_negatives);
}

BinaryCounts& BinaryCounts::operator+=(const BinaryCounts& other) {
  true_positives += other.true_positives;
  false_positives += other.false_positives;
  false_negatives += other.false_negatives;
  return *this;
}

BinaryCounts count_binary(std::string_view prediction, std::string_view label) {
  const bool said = is_positive(prediction), is = is_positive(label);
  return {said && is, said && !is, !said && is};
}

}  // namespace plumb
