#include "plumb/metric/measure.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "plumb/base/unicode.h"
#include "plumb/metric/chrf.h"
#include "plumb/metric/classification.h"
#include "plumb/metric/edit_distance.h"
#include "plumb/metric/rouge.h"
#include "plumb/metric/signature.h"

namespace plumb {
namespace {

using Numbers = std::vector<double>;
using References = std::span<const std::string>;
using Sum = std::span<const double>;

double number(int64_t count) {
  return static_cast<double>(count);
}

// Sums of counts are whole numbers far below 2^53, which a double holds exactly.
int64_t count_at(Sum sum, size_t i) {
  return static_cast<int64_t>(sum[i]);
}

std::string case_and_version(const MeasureOptions& options) {
  return fmt::format("case:{}|{}", options.lowercase ? "lc" : "mixed", kVersion);
}

Measure bleu_measure(const MeasureOptions& asked) {
  BleuOptions options;
  options.tokenizer = asked.tokenizer;
  options.smoothing = asked.smoothing;
  options.lowercase = asked.lowercase;
  const auto count = [options](std::string_view hypothesis, References references) {
    const BleuStatistics s = bleu_statistics(hypothesis, references, options);
    Numbers numbers{number(s.hyp_len), number(s.ref_len)};
    for (size_t n = 0; n < kBleuOrder; ++n) numbers.insert(numbers.end(), {number(s.correct[n]), number(s.total[n])});
    return numbers;
  };
  const auto score = [options](Sum sum) {
    BleuStatistics s;
    s.hyp_len = count_at(sum, 0);
    s.ref_len = count_at(sum, 1);
    for (size_t n = 0; n < kBleuOrder; ++n) {
      s.correct[n] = count_at(sum, 2 + 2 * n);
      s.total[n] = count_at(sum, 3 + 2 * n);
    }
    const Bleu bleu = bleu_of(s, options);
    Score result{bleu.score, bleu_line(bleu, options), {{"bp", bleu.bp}, {"ratio", bleu.ratio()}}};
    result.parts.insert(result.parts.end(), {{"hyp_len", sum[0]}, {"ref_len", sum[1]}});
    for (size_t n = 0; n < kBleuOrder; ++n) {
      result.parts.emplace_back(fmt::format("precision_{}", n + 1), bleu.precisions[n]);
      result.parts.emplace_back(fmt::format("correct_{}", n + 1), number(s.correct[n]));
      result.parts.emplace_back(fmt::format("total_{}", n + 1), number(s.total[n]));
    }
    return result;
  };
  return {count, score, bleu_settings(options)};
}

Measure chrf_measure(const MeasureOptions& asked, size_t word_order) {
  ChrfOptions options;
  options.word_order = word_order;
  options.lowercase = asked.lowercase;
  const auto count = [options](std::string_view hypothesis, References references) {
    Numbers numbers;
    for (const ChrfCounts& order : chrf_statistics(hypothesis, references, options)) {
      numbers.insert(numbers.end(), {number(order.hypothesis), number(order.reference), number(order.matched)});
    }
    return numbers;
  };
  const auto score = [options](Sum sum) {
    ChrfStatistics statistics;
    for (size_t i = 0; i < sum.size(); i += 3) {
      statistics.push_back({count_at(sum, i), count_at(sum, i + 1), count_at(sum, i + 2)});
    }
    const double value = chrf_of(statistics, options);
    return Score{value, fmt::format("{} = {:.2f}", chrf_name(options), value), {}};
  };
  return {count, score, chrf_settings(options)};
}

// ROUGE is a mean over lines: their number is one of the counts, so that sums of resampled lines work too.
Measure rouge_measure(const MeasureOptions& asked) {
  const auto count = [options = RougeOptions{asked.stem}](std::string_view hypothesis, References references) {
    const Rouge line = rouge(hypothesis, references, options);
    return Numbers{1, line.rouge1, line.rouge2, line.rouge_l};
  };
  const auto score = [](Sum sum) {
    const double one = sum[1] / sum[0], two = sum[2] / sum[0], l = sum[3] / sum[0];
    return Score{l,
                 fmt::format("ROUGE-1 = {:.2f} ROUGE-2 = {:.2f} ROUGE-L = {:.2f}", one, two, l),
                 {{"rouge1", one}, {"rouge2", two}, {"rougeL", l}, {"lines", sum[0]}}};
  };
  return {count,
          score,
          fmt::format("case:lc|stem:{}|tok:a-z0-9|{}", asked.stem ? "porter" : "no", kVersion),
          {"rouge1", "rouge2", "rougeL"}};
}

using CountEdits = Edits (*)(std::string_view hypothesis, std::string_view reference);

Measure error_rate(const MeasureOptions& options, std::string_view name, CountEdits count_edits) {
  const auto count = [lower = options.lowercase, count_edits](std::string_view hypothesis, References references) {
    const std::string& reference = references.front();
    const Edits edits =
        lower ? count_edits(lowercase(hypothesis), lowercase(reference)) : count_edits(hypothesis, reference);
    return Numbers{number(edits.substitutions), number(edits.deletions), number(edits.insertions),
                   number(edits.reference_length)};
  };
  const auto score = [name](Sum sum) {
    const double rate = Edits{count_at(sum, 0), count_at(sum, 1), count_at(sum, 2), count_at(sum, 3)}.rate();
    return Score{
        rate,
        fmt::format("{} = {:.2f} (S = {} D = {} I = {} ref_len = {})", name, rate, sum[0], sum[1], sum[2], sum[3]),
        {{"substitutions", sum[0]}, {"deletions", sum[1]}, {"insertions", sum[2]}, {"ref_len", sum[3]}}};
  };
  return {count, score, case_and_version(options)};
}

Measure share_of_equal_lines(const MeasureOptions& options, std::string_view name) {
  const auto count = [lower = options.lowercase](std::string_view hypothesis, References references) {
    if (!lower) return Numbers{1, number(exact_match(hypothesis, references))};
    std::vector<std::string> small;
    for (const std::string& reference : references) small.push_back(lowercase(reference));
    return Numbers{1, number(exact_match(lowercase(hypothesis), small))};
  };
  const auto score = [name](Sum sum) {
    const double value = 100 * sum[1] / sum[0];
    return Score{value,
                 fmt::format("{} = {:.2f} ({} of {})", name, value, sum[1], sum[0]),
                 {{"right", sum[1]}, {"lines", sum[0]}}};
  };
  return {count, score, case_and_version(options)};
}

// The share of lines that "always the most frequent label" gets right. Without it an accuracy says little.
double majority_share(std::span<const std::vector<std::string>> references, bool lower) {
  std::map<std::string, int64_t, std::less<>> counts;
  int64_t most = 0;
  for (const std::vector<std::string>& line : references) {
    const std::string label(strip_spaces(line.front()));
    most = std::max(most, ++counts[lower ? lowercase(label) : label]);
  }
  return 100 * number(most) / static_cast<double>(references.size());
}

void add_part(Score& score, const std::string& name, double value) {
  score.line += fmt::format(" {} = {:.2f}", name, value);
  score.parts.emplace_back(name, value);
}

Measure accuracy_measure(const MeasureOptions& options) {
  Measure measure = share_of_equal_lines(options, "accuracy");
  measure.compare = [lower = options.lowercase](std::span<const std::vector<std::string>> references, Score& score) {
    add_part(score, "majority", majority_share(references, lower));
  };
  return measure;
}

// Always "1" finds all positives, so its F1 is 2 p / (1 + p) where p is their share.
double f1_of_always_1(std::span<const std::vector<std::string>> references) {
  BinaryCounts sum;
  for (const std::vector<std::string>& line : references) sum += count_binary("1", line.front());
  return sum.f1();
}

Measure f1_measure() {
  const auto count = [](std::string_view prediction, References references) {
    const BinaryCounts c = count_binary(prediction, references.front());
    return Numbers{number(c.true_positives), number(c.false_positives), number(c.false_negatives)};
  };
  const auto score = [](Sum sum) {
    const BinaryCounts c{count_at(sum, 0), count_at(sum, 1), count_at(sum, 2)};
    return Score{c.f1(),
                 fmt::format("F1 = {:.2f} (precision = {:.2f} recall = {:.2f} TP = {} FP = {} FN = {})", c.f1(),
                             c.precision(), c.recall(), sum[0], sum[1], sum[2]),
                 {{"precision", c.precision()},
                  {"recall", c.recall()},
                  {"true_positives", sum[0]},
                  {"false_positives", sum[1]},
                  {"false_negatives", sum[2]}}};
  };
  const auto compare = [](std::span<const std::vector<std::string>> references, Score& result) {
    add_part(result, "majority", majority_share(references, false));
    add_part(result, "always_1", f1_of_always_1(references));
  };
  return {count, score, fmt::format("positive:1|{}", kVersion), {}, compare};
}

}  // namespace

Measure make_measure(std::string_view name, const MeasureOptions& options) {
  if (name == "bleu") return bleu_measure(options);
  if (name == "chrf") return chrf_measure(options, 0);
  if (name == "chrf++") return chrf_measure(options, 2);
  if (name == "rouge") return rouge_measure(options);
  if (name == "wer") return error_rate(options, "WER", word_edits);
  if (name == "cer") return error_rate(options, "CER", character_edits);
  if (name == "accuracy") return accuracy_measure(options);
  if (name == "f1") return f1_measure();
  if (name == "exact") return share_of_equal_lines(options, "exact match");
  throw std::logic_error(fmt::format("metric {} has no measure", name));
}

Score corpus_score(const Measure& measure, std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references) {
  if (hypotheses.empty() || hypotheses.size() != references.size()) {
    throw std::invalid_argument("a score needs sentences, and references for each");
  }
  Numbers sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Numbers numbers = measure.count(hypotheses[i], references[i]);
    sum.resize(numbers.size());
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += numbers[k];
  }
  Score score = measure.score(sum);
  if (measure.compare) measure.compare(references, score);
  return score;
}

}  // namespace plumb
