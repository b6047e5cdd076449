#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plumb/text/string_map.h"

namespace plumb {

/// Byte pair encoding as subword-nmt applies it (Sennrich et al. 2016) to words that are already tokenised: a word is
/// its characters, the last one marked as the end; the merge that stands first in the codes is carried out wherever it
/// fits, from left to right, then the next, until none fits.
///
/// Codes of version 0.2 mark the last character (`r</w>`), those of version 0.1, which have no header, set the mark
/// `</w>` behind it as a symbol of its own.
class Bpe {
 public:
  explicit Bpe(const std::string& codes);

  /// Takes merges back until every piece is in the vocabulary (lines `token count`, subword-nmt's get-vocab) at least
  /// `threshold` times, or is a character.
  void restrict_to(const std::string& vocabulary, int64_t threshold = 0);

  /// The pieces of one word; all but the last end in the joiner "@@".
  std::vector<std::string> segment(std::string_view word) const;

 private:
  struct Merge {
    int32_t rank, result;
  };
  struct Symbol;

  void add_merge(std::string_view left, std::string_view right, int32_t rank);
  int32_t number_of(const std::string& symbol);
  int32_t find(std::string_view symbol) const;
  const Merge* find_merge(int32_t left, int32_t right) const;
  std::vector<Symbol> characters(std::string_view word) const;
  std::vector<std::string> merge(std::string_view word) const;
  void split_unknown(std::vector<std::string>& pieces) const;

  bool mark_apart_ = true;                      // version 0.1
  StringMap<int32_t> symbols_;                  // numbers for every symbol of the codes
  std::unordered_map<uint64_t, Merge> merges_;  // left number * 2^32 + right number
  struct Parts {
    std::string left, right;
  };
  StringMap<Parts> parts_;  // which merge a symbol comes from
  std::optional<std::unordered_set<std::string>> vocabulary_;

  // Words repeat (Zipf): most of a corpus comes from here.
  mutable std::mutex mutex_;
  mutable StringMap<std::vector<std::string>> known_;
};

}  // namespace plumb
