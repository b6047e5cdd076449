#include "plumb/metric/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

#include "plumb/base/unicode.h"
#include "plumb/metric/ngrams.h"
#include "plumb/metric/signature.h"
#include "plumb/metric/tokenize_13a.h"

namespace plumb {
namespace {

std::u32string numbered(std::string_view line, const BleuOptions& options, WordNumbers& numbers) {
  std::string text = options.lowercase ? lowercase(line) : std::string(line);
  // Stripped before tokenising: 13a would take a hyphen and a line break at the end for a divided word.
  if (options.tokenizer == BleuTokenizer::Mteval13a) text = tokenize_13a(strip_spaces(text));
  return numbers.of(split_at_spaces(text));
}

int64_t closest_length(int64_t length, std::span<const std::u32string> references) {
  const auto size = [](const std::u32string& reference) { return static_cast<int64_t>(reference.size()); };
  int64_t closest = size(references.front());
  for (const std::u32string& reference : references) {
    const int64_t distance = std::abs(size(reference) - length), best = std::abs(closest - length);
    if (distance < best || (distance == best && size(reference) < closest)) closest = size(reference);
  }
  return closest;
}

double brevity_penalty(const BleuStatistics& sum) {
  if (sum.hyp_len >= sum.ref_len) return 1;
  return sum.hyp_len == 0 ? 0 : std::exp(1 - static_cast<double>(sum.ref_len) / static_cast<double>(sum.hyp_len));
}

double smoothing_value(const BleuOptions& options) {
  return options.smoothing_value.value_or(options.smoothing == BleuSmoothing::Floor ? 0.1 : 1.0);
}

// Fills the precisions and tells how many orders to average over.
size_t smooth(Bleu& bleu, const BleuOptions& options) {
  size_t orders = kBleuOrder;
  double halves = 1;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    auto correct = static_cast<double>(bleu.statistics.correct[n]);
    auto total = static_cast<double>(bleu.statistics.total[n]);
    if (options.smoothing == BleuSmoothing::AddK && n > 0) {
      correct += smoothing_value(options);
      total += smoothing_value(options);
    }
    if (total == 0) break;
    if (options.effective_order) orders = n + 1;
    if (correct == 0) {
      if (options.smoothing == BleuSmoothing::Exp) correct = 1 / (halves *= 2);
      if (options.smoothing == BleuSmoothing::Floor) correct = smoothing_value(options);
    }
    bleu.precisions[n] = 100 * correct / total;
  }
  return orders;
}

std::string smoothing_text(const BleuOptions& options) {
  switch (options.smoothing) {
    case BleuSmoothing::None:
      return "none";
    case BleuSmoothing::Floor:
      return fmt::format("floor[{:.2f}]", smoothing_value(options));
    case BleuSmoothing::AddK:
      return fmt::format("add-k[{:.2f}]", smoothing_value(options));
    case BleuSmoothing::Exp:
      return "exp";
  }
  throw std::logic_error("unknown smoothing");
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  hyp_len += other.hyp_len;
  ref_len += other.ref_len;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    correct[n] += other.correct[n];
    total[n] += other.total[n];
  }
  return *this;
}

double Bleu::ratio() const {
  if (statistics.ref_len == 0) return 0;
  return static_cast<double>(statistics.hyp_len) / static_cast<double>(statistics.ref_len);
}

BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuOptions& options) {
  if (references.empty()) throw std::invalid_argument("BLEU of a sentence without a reference");
  WordNumbers numbers;
  const std::u32string words = numbered(hypothesis, options, numbers);
  std::vector<std::u32string> others;
  for (const std::string& reference : references) others.push_back(numbered(reference, options, numbers));

  BleuStatistics statistics;
  statistics.hyp_len = static_cast<int64_t>(words.size());
  statistics.ref_len = closest_length(statistics.hyp_len, others);
  for (size_t n = 1; n <= kBleuOrder; ++n) {
    NgramCounts allowed;
    for (const std::u32string& other : others) keep_larger(allowed, count_ngrams(other, n));
    statistics.correct[n - 1] = matches(count_ngrams(words, n), allowed);
    statistics.total[n - 1] = ngram_total(words, n);
  }
  return statistics;
}

Bleu bleu_of(const BleuStatistics& sum, const BleuOptions& options) {
  Bleu bleu;
  bleu.statistics = sum;
  bleu.bp = brevity_penalty(sum);
  // Smoothing must not give points to a text without a single right word.
  if (std::ranges::all_of(sum.correct, [](int64_t count) { return count == 0; })) return bleu;

  const size_t orders = smooth(bleu, options);
  double log_sum = 0;
  for (size_t n = 0; n < orders; ++n) log_sum += std::log(bleu.precisions[n]);  // log(0) is -inf, and BLEU 0
  bleu.score = bleu.bp * std::exp(log_sum / static_cast<double>(orders));
  return bleu;
}

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const BleuOptions& options) {
  if (hypotheses.size() != references.size()) throw std::invalid_argument("BLEU: not one reference per hypothesis");
  BleuStatistics sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    sum += bleu_statistics(hypotheses[i], references.subspan(i, 1), options);
  }
  return bleu_of(sum, options);
}

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
                 const BleuOptions& options) {
  if (hypotheses.size() != references.size()) throw std::invalid_argument("BLEU: not one reference per hypothesis");
  BleuStatistics sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) sum += bleu_statistics(hypotheses[i], references[i], options);
  return bleu_of(sum, options);
}

Bleu sentence_bleu(std::string_view hypothesis, std::span<const std::string> references, BleuOptions options) {
  options.effective_order = true;
  return bleu_of(bleu_statistics(hypothesis, references, options), options);
}

std::string_view bleu_name(const BleuOptions& options) {
  const bool multi_bleu = options.tokenizer == BleuTokenizer::None && options.smoothing == BleuSmoothing::None;
  return multi_bleu ? "BLEU (multi-bleu, tokenised)" : "BLEU";
}

std::string bleu_line(const Bleu& bleu, const BleuOptions& options) {
  return fmt::format("{} = {:.2f} {:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", bleu_name(options),
                     bleu.score, fmt::join(bleu.precisions, "/"), bleu.bp, bleu.ratio(), bleu.statistics.hyp_len,
                     bleu.statistics.ref_len);
}

std::string bleu_settings(const BleuOptions& options) {
  return fmt::format(
      "case:{}|eff:{}|tok:{}|smooth:{}|{}", options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
      options.tokenizer == BleuTokenizer::Mteval13a ? "13a" : "none", smoothing_text(options), kSacrebleuVersion);
}

}  // namespace plumb
