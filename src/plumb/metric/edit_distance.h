#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

/// What it takes to turn a reference into a hypothesis (Levenshtein). They add up over sentences.
struct Edits {
  int64_t substitutions = 0, deletions = 0, insertions = 0;
  int64_t reference_length = 0;

  int64_t errors() const { return substitutions + deletions + insertions; }

  /// 100 (S + D + I) / N; may exceed 100. Without anything to refer to: 0 if there are no errors, else infinity.
  double rate() const;

  Edits& operator+=(const Edits& other);
  bool operator==(const Edits&) const = default;
};

/// The fewest edits, and among such alignments the one with the most substitutions, which makes S, D and I unique.
Edits count_edits(std::u32string_view hypothesis, std::u32string_view reference);

/// For the word error rate: words are what stands between white space.
Edits word_edits(std::string_view hypothesis, std::string_view reference);

/// For the character error rate: code points, spaces within the line included.
Edits character_edits(std::string_view hypothesis, std::string_view reference);

}  // namespace plumb
