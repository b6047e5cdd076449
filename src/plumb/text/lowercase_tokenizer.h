#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/tokenizer.h"

namespace plumb {

/// Another tokeniser that sees its text in lower case, as Python's str.lower() gives it. The case is lost: what comes
/// back is lower case.
class LowercaseTokenizer : public PieceTokenizer {
 public:
  explicit LowercaseTokenizer(std::unique_ptr<PieceTokenizer> inner);

  std::vector<int32_t> encode(std::string_view line) const override;
  std::vector<std::vector<int32_t>> encode_lines(std::span<const std::string> lines) const override;
  std::vector<std::string> pieces(std::string_view line) const override;

  std::string decode(std::span<const int32_t> ids) const override { return inner_->decode(ids); }
  std::vector<std::string> decode_lines(std::span<const std::vector<int32_t>> lines) const override {
    return inner_->decode_lines(lines);
  }
  std::string join(std::span<const std::string> pieces) const override { return inner_->join(pieces); }
  int32_t size() const override { return inner_->size(); }
  std::vector<std::string> vocabulary() const override { return inner_->vocabulary(); }

  /// Says that the text is lower-cased: the same line may have other ids than without.
  std::string fingerprint() const override;

 private:
  std::unique_ptr<PieceTokenizer> inner_;
};

}  // namespace plumb
