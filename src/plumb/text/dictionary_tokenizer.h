#pragma once

#include "plumb/text/dictionary.h"
#include "plumb/text/tokenizer.h"

namespace plumb {

/// A tokeniser whose ids are the lines of a dict.txt: what remains to be said is how a line becomes pieces, and how
/// pieces become a line again.
class DictionaryTokenizer : public PieceTokenizer {
 public:
  std::vector<int32_t> encode(std::string_view line) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  int32_t size() const override { return dictionary_.size(); }
  std::vector<std::string> vocabulary() const override { return dictionary_.tokens(); }
  std::string fingerprint() const override { return fingerprint_; }

 protected:
  explicit DictionaryTokenizer(const std::string& dict) : dictionary_(dict) {}

  Dictionary dictionary_;
  std::string fingerprint_;
};

}  // namespace plumb
