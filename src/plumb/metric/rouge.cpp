#include "plumb/metric/rouge.h"

#include <algorithm>
#include <stdexcept>

#include "plumb/base/unicode.h"
#include "plumb/metric/ngrams.h"
#include "plumb/metric/porter.h"

namespace plumb {
namespace {

std::u32string stems_of(std::span<const std::string_view> words, WordNumbers& numbers) {
  constexpr size_t kLongestWhole = 3;
  std::vector<std::string> stems;
  for (const std::string_view word : words) {
    stems.push_back(word.size() > kLongestWhole ? porter_stem(word) : std::string(word));
  }
  return numbers.of(std::vector<std::string_view>(stems.begin(), stems.end()));
}

std::u32string words_of(std::string_view line, WordNumbers& numbers, const RougeOptions& options) {
  std::string text = lowercase(line);
  for (char& c : text) {
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) c = ' ';
  }
  const std::vector<std::string_view> words = split_at_spaces(text);
  return options.stem ? stems_of(words, numbers) : numbers.of(words);
}

int64_t longest_common_subsequence(std::u32string_view a, std::u32string_view b) {
  std::vector<int64_t> row(b.size() + 1, 0);
  for (const char32_t word : a) {
    int64_t diagonal = 0;
    for (size_t j = 1; j < row.size(); ++j) {
      const int64_t longer = b[j - 1] == word ? diagonal + 1 : std::max(row[j], row[j - 1]);
      diagonal = row[j];
      row[j] = longer;
    }
  }
  return row.back();
}

// F1 of P = common / ours and R = common / theirs, which is their harmonic mean.
double f1(int64_t common, int64_t ours, int64_t theirs) {
  return common == 0 ? 0 : 200 * static_cast<double>(common) / static_cast<double>(ours + theirs);
}

double rouge_n(std::u32string_view hypothesis, std::u32string_view reference, size_t n) {
  return f1(matches(count_ngrams(hypothesis, n), count_ngrams(reference, n)), ngram_total(hypothesis, n),
            ngram_total(reference, n));
}

}  // namespace

Rouge rouge(std::string_view hypothesis, std::span<const std::string> references, const RougeOptions& options) {
  WordNumbers numbers;
  const std::u32string own = words_of(hypothesis, numbers, options);
  Rouge best;
  for (const std::string& reference : references) {
    const std::u32string other = words_of(reference, numbers, options);
    best.rouge1 = std::max(best.rouge1, rouge_n(own, other, 1));
    best.rouge2 = std::max(best.rouge2, rouge_n(own, other, 2));
    best.rouge_l =
        std::max(best.rouge_l, f1(longest_common_subsequence(own, other), ngram_total(own, 1), ngram_total(other, 1)));
  }
  return best;
}

Rouge corpus_rouge(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
                   const RougeOptions& options) {
  if (hypotheses.size() != references.size()) throw std::invalid_argument("ROUGE: not one reference per hypothesis");
  Rouge mean;
  const auto lines = static_cast<double>(hypotheses.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Rouge line = rouge(hypotheses[i], references[i], options);
    mean.rouge1 += line.rouge1 / lines;
    mean.rouge2 += line.rouge2 / lines;
    mean.rouge_l += line.rouge_l / lines;
  }
  return mean;
}

}  // namespace plumb
