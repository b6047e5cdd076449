#include "plumb/catalogue/metrics.h"

#include <algorithm>

namespace plumb {
namespace {

using enum MetricRow::Better;

// clang-format off
constexpr MetricRow kMetrics[] = {
    {"bleu", Higher, true, "BP * exp(mean of log p_n, n = 1..4), BP = exp(min(0, 1 - ref_len / hyp_len))",
     "corpus BLEU as sacreBLEU computes it (13a, exp); as multi-bleu.perl with --tokenize none"},
    {"chrf", Higher, true, "5 P R / (4 P + R), P and R averaged over character 1- to 6-grams",
     "chrF2 as sacreBLEU computes it"},
    {"chrf++", Higher, true, "5 P R / (4 P + R), P and R averaged over character 1- to 6-grams and word 1- and 2-grams",
     "chrF2++ as sacreBLEU computes it"},
    {"rouge", Higher, true, "2 C / (N + M), C common 1-grams, 2-grams or longest common subsequence; mean over lines",
     "F1 of ROUGE-1, ROUGE-2 and ROUGE-L, for English, with or without stemming; the score is ROUGE-L"},
    {"wer", Lower, false, "(S + D + I) / N, in words of the reference",
     "word error rate, with its substitutions, deletions and insertions"},
    {"cer", Lower, false, "(S + D + I) / N, in characters of the reference",
     "character error rate, with its substitutions, deletions and insertions"},
    {"accuracy", Higher, false, "right / lines",
     "how many labels are right, one label per line, and the share of the most frequent label"},
    {"f1", Higher, false, "2 TP / (2 TP + FP + FN), positive label 1",
     "F1 of a binary classification, labels 0 and 1, and what always 1 would get"},
    {"exact", Higher, true, "equal / lines",
     "how many lines equal a reference"},
};
// clang-format on

}  // namespace

std::span<const MetricRow> metrics() {
  return kMetrics;
}

const MetricRow* find_metric(std::string_view name) {
  const auto row = std::ranges::find(kMetrics, name, &MetricRow::name);
  return row == std::end(kMetrics) ? nullptr : row;
}

}  // namespace plumb
