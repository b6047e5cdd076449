#include "plumb/metric/chrf.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "plumb/base/unicode.h"
#include "plumb/metric/ngrams.h"
#include "plumb/metric/signature.h"

namespace plumb {
namespace {

struct Sequences {
  std::u32string characters, words;
};

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// One ASCII sign is cut off a word, at its end or else at its start: "(hi)" becomes "(hi" and ")", as in chrF++.py.
std::vector<std::string_view> split_punctuation(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (const std::string_view word : split_at_spaces(text)) {
    const size_t last = word.size() - 1;
    // A sign is one byte, so a word of one letter is never cut: a longer letter neither starts nor ends with a sign.
    const size_t cut = last == 0 ? 0 : is_punctuation(word[last]) ? last : is_punctuation(word[0]) ? 1 : 0;
    if (cut > 0) tokens.push_back(word.substr(0, cut));
    tokens.push_back(word.substr(cut));
  }
  return tokens;
}

Sequences sequences(std::string_view line, const ChrfOptions& options, WordNumbers& numbers) {
  const std::string text = options.lowercase ? lowercase(line) : std::string(line);
  Sequences result;
  result.characters = decode_utf8(text);
  if (!options.whitespace) std::erase_if(result.characters, is_space);
  if (options.word_order > 0) result.words = numbers.of(split_punctuation(text));
  return result;
}

ChrfCounts count_order(std::u32string_view hypothesis, std::u32string_view reference, size_t n) {
  const int64_t total = ngram_total(reference, n);
  if (total == 0) return {};
  return {ngram_total(hypothesis, n), total, matches(count_ngrams(hypothesis, n), count_ngrams(reference, n))};
}

ChrfStatistics compare(const Sequences& hypothesis, const Sequences& reference, const ChrfOptions& options) {
  ChrfStatistics result;
  for (size_t n = 1; n <= options.char_order; ++n) {
    result.push_back(count_order(hypothesis.characters, reference.characters, n));
  }
  for (size_t n = 1; n <= options.word_order; ++n) {
    result.push_back(count_order(hypothesis.words, reference.words, n));
  }
  return result;
}

double share(int64_t part, int64_t whole, double otherwise) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : otherwise;
}

double f_score(double precision, double recall, int beta, double otherwise) {
  const double factor = beta * beta, denominator = factor * precision + recall;
  return denominator > 0 ? (1 + factor) * precision * recall / denominator : otherwise;
}

// As chrF++.py, Moses and NLTK: orders that a short text does not have pull the score down.
double mean_of_f(const ChrfStatistics& sum, const ChrfOptions& options) {
  constexpr double kEps = 1e-16;
  double total = 0;
  for (const ChrfCounts& order : sum) {
    const double precision = share(order.matched, order.hypothesis, kEps);
    const double recall = share(order.matched, order.reference, kEps);
    total += f_score(precision, recall, options.beta, kEps);
  }
  return total / static_cast<double>(sum.size());
}

// As sacreBLEU by default: such orders do not count.
double f_of_means(const ChrfStatistics& sum, const ChrfOptions& options) {
  double precision = 0, recall = 0, orders = 0;
  for (const ChrfCounts& order : sum) {
    if (order.hypothesis == 0 || order.reference == 0) continue;
    precision += share(order.matched, order.hypothesis, 0);
    recall += share(order.matched, order.reference, 0);
    ++orders;
  }
  return orders == 0 ? 0 : f_score(precision / orders, recall / orders, options.beta, 0);
}

}  // namespace

ChrfStatistics chrf_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const ChrfOptions& options) {
  if (references.empty()) throw std::invalid_argument("chrF of a sentence without a reference");
  WordNumbers numbers;
  const Sequences own = sequences(hypothesis, options, numbers);
  ChrfStatistics best;
  double best_score = -1;
  for (const std::string& reference : references) {
    ChrfStatistics statistics = compare(own, sequences(reference, options, numbers), options);
    const double score = chrf_of(statistics, options);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(statistics);
  }
  return best;
}

void add(ChrfStatistics& sum, const ChrfStatistics& other) {
  if (sum.size() < other.size()) sum.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) {
    sum[i].hypothesis += other[i].hypothesis;
    sum[i].reference += other[i].reference;
    sum[i].matched += other[i].matched;
  }
}

double chrf_of(const ChrfStatistics& sum, const ChrfOptions& options) {
  if (sum.empty()) return 0;
  return 100 * (options.eps_smoothing ? mean_of_f(sum, options) : f_of_means(sum, options));
}

double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                   const ChrfOptions& options) {
  if (hypotheses.size() != references.size()) throw std::invalid_argument("chrF: not one reference per hypothesis");
  ChrfStatistics sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    add(sum, chrf_statistics(hypotheses[i], references.subspan(i, 1), options));
  }
  return chrf_of(sum, options);
}

double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
                   const ChrfOptions& options) {
  if (hypotheses.size() != references.size()) throw std::invalid_argument("chrF: not one reference per hypothesis");
  ChrfStatistics sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) add(sum, chrf_statistics(hypotheses[i], references[i], options));
  return chrf_of(sum, options);
}

std::string chrf_name(const ChrfOptions& options) {
  return fmt::format("chrF{}{}", options.beta, std::string(options.word_order, '+'));
}

std::string chrf_settings(const ChrfOptions& options) {
  return fmt::format("case:{}|eff:{}|nc:{}|nw:{}|space:{}|{}", options.lowercase ? "lc" : "mixed",
                     options.eps_smoothing ? "no" : "yes", options.char_order, options.word_order,
                     options.whitespace ? "yes" : "no", kSacrebleuVersion);
}

}  // namespace plumb
