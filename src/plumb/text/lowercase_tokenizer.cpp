#include "plumb/text/lowercase_tokenizer.h"

#include <utility>

#include "plumb/base/sha256.h"
#include "plumb/base/unicode.h"

namespace plumb {

LowercaseTokenizer::LowercaseTokenizer(std::unique_ptr<PieceTokenizer> inner) : inner_(std::move(inner)) {}

std::vector<int32_t> LowercaseTokenizer::encode(std::string_view line) const {
  return inner_->encode(lowercase(line));
}

std::vector<std::vector<int32_t>> LowercaseTokenizer::encode_lines(std::span<const std::string> lines) const {
  std::vector<std::string> lower;
  lower.reserve(lines.size());
  for (const std::string& line : lines) lower.push_back(lowercase(line));
  return inner_->encode_lines(lower);
}

std::vector<std::string> LowercaseTokenizer::pieces(std::string_view line) const {
  return inner_->pieces(lowercase(line));
}

std::string LowercaseTokenizer::fingerprint() const {
  return sha256_hex("lowercase 1\n" + inner_->fingerprint());
}

}  // namespace plumb
