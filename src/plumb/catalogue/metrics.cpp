#include "plumb/catalogue/metrics.h"

#include <algorithm>
#include <array>

namespace plumb {
namespace {

using enum MetricRow::Better;

constexpr std::string_view kBleuOptions[] = {"--tokenize", "--smooth"};
constexpr std::string_view kRougeOptions[] = {"--stem"};

// clang-format off
constexpr MetricRow kMetrics[] = {
    {.name = "bleu", .better = Higher, .several_references = true, .options = kBleuOptions,
     .formula = "BP * exp(mean of log p_n, n = 1..4), BP = exp(min(0, 1 - ref_len / hyp_len))",
     .summary = "corpus BLEU as sacreBLEU computes it (13a, exp); as multi-bleu.perl with --tokenize none"},
    {.name = "chrf", .better = Higher, .several_references = true,
     .formula = "5 P R / (4 P + R), P and R averaged over character 1- to 6-grams",
     .summary = "chrF2 as sacreBLEU computes it"},
    {.name = "chrf++", .better = Higher, .several_references = true,
     .formula = "5 P R / (4 P + R), P and R averaged over character 1- to 6-grams and word 1- and 2-grams",
     .summary = "chrF2++ as sacreBLEU computes it"},
    {.name = "rouge", .better = Higher, .several_references = true, .quadratic_time = true, .options = kRougeOptions,
     .formula = "2 C / (N + M), C common 1-grams, 2-grams or longest common subsequence; mean over lines",
     .summary = "F1 of ROUGE-1, ROUGE-2 and ROUGE-L, for English, with or without stemming; the score is ROUGE-L"},
    {.name = "wer", .better = Lower, .quadratic_time = true,
     .formula = "(S + D + I) / N, in words of the reference",
     .summary = "word error rate, with its substitutions, deletions and insertions"},
    {.name = "cer", .better = Lower, .quadratic_time = true,
     .formula = "(S + D + I) / N, in characters of the reference",
     .summary = "character error rate, with its substitutions, deletions and insertions"},
    {.name = "accuracy", .better = Higher,
     .formula = "right / lines",
     .summary = "how many labels are right, one label per line, and the share of the most frequent label"},
    {.name = "f1", .better = Higher, .binary_labels = true,
     .formula = "2 TP / (2 TP + FP + FN), positive label 1",
     .summary = "F1 of a binary classification, labels 0 and 1, and what always 1 would get"},
    {.name = "exact", .better = Higher, .several_references = true,
     .formula = "equal / lines",
     .summary = "how many lines equal a reference"},
};
// clang-format on

constexpr auto kMetricNames = [] {
  std::array<std::string_view, std::size(kMetrics)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kMetrics[i].name;
  return names;
}();

}  // namespace

std::span<const MetricRow> metrics() {
  return kMetrics;
}

std::span<const std::string_view> metric_names() {
  return kMetricNames;
}

const MetricRow* find_metric(std::string_view name) {
  const auto row = std::ranges::find(kMetrics, name, &MetricRow::name);
  return row == std::end(kMetrics) ? nullptr : row;
}

}  // namespace plumb
