#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/bpe.h"
#include "plumb/text/dictionary_tokenizer.h"

namespace plumb {

/// The files of a fairseq preparation. Only `dict` must be there.
struct BpeFiles {
  std::string dict = {};             // dict.txt
  std::string codes = {};            // of subword-nmt; empty: the text is split already and has its @@
  std::string vocabulary = {};       // of subword-nmt get-vocab; empty: merges are never taken back
  int64_t vocabulary_threshold = 0;  // how often a token of `vocabulary` must occur
};

/// Text as the fairseq recipes have it: tokenised words between spaces, subword-nmt's pieces with the joiner @@, ids
/// of a dict.txt. Needs neither SentencePiece nor another process.
class BpeTokenizer : public DictionaryTokenizer {
 public:
  explicit BpeTokenizer(const BpeFiles& files);

  std::vector<std::string> pieces(std::string_view line) const override;
  std::string join(std::span<const std::string> pieces) const override;

 private:
  std::optional<Bpe> bpe_;
};

}  // namespace plumb
