#include "plumb/metric/edit_distance.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "plumb/base/unicode.h"
#include "plumb/metric/ngrams.h"

namespace plumb {
namespace {

// A cost holds two counts, so that one minimum compares both: errors above, insertions and deletions below.
constexpr int64_t kError = int64_t{1} << 32;
constexpr int64_t kSubstitution = kError, kGap = kError + 1;

int64_t cheapest(std::u32string_view hypothesis, std::u32string_view reference) {
  std::vector<int64_t> row(hypothesis.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int64_t>(j) * kGap;
  for (const char32_t wanted : reference) {
    int64_t diagonal = row[0];  // the cell above and to the left, from the row before
    row[0] += kGap;
    for (size_t j = 1; j < row.size(); ++j) {
      const int64_t kept = diagonal + (hypothesis[j - 1] == wanted ? 0 : kSubstitution);
      diagonal = row[j];
      row[j] = std::min({kept, row[j] + kGap, row[j - 1] + kGap});
    }
  }
  return row.back();
}

}  // namespace

double Edits::rate() const {
  if (reference_length == 0) return errors() == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 100 * static_cast<double>(errors()) / static_cast<double>(reference_length);
}

Edits& Edits::operator+=(const Edits& other) {
  substitutions += other.substitutions;
  deletions += other.deletions;
  insertions += other.insertions;
  reference_length += other.reference_length;
  return *this;
}

Edits count_edits(std::u32string_view hypothesis, std::u32string_view reference) {
  const int64_t cost = cheapest(hypothesis, reference);
  const int64_t gaps = cost % kError;
  const auto length = static_cast<int64_t>(reference.size());
  // No need to trace the alignment: insertions and deletions sum to the gaps and differ by the lengths.
  const int64_t insertions = (gaps + static_cast<int64_t>(hypothesis.size()) - length) / 2;
  return {cost / kError - gaps, gaps - insertions, insertions, length};
}

Edits word_edits(std::string_view hypothesis, std::string_view reference) {
  WordNumbers numbers;
  const std::u32string words = numbers.of(split_at_spaces(hypothesis));
  return count_edits(words, numbers.of(split_at_spaces(reference)));
}

Edits character_edits(std::string_view hypothesis, std::string_view reference) {
  return count_edits(decode_utf8(strip_spaces(hypothesis)), decode_utf8(strip_spaces(reference)));
}

}  // namespace plumb
