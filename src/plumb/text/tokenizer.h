#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/catalogue/special_ids.h"

namespace plumb {

/// Lines to ids and back. `encode` adds neither bos nor eos, and no line of text can make it return one of them, or
/// pad. `decode` leaves those three out; an unknown token stays visible. An id outside the vocabulary is a UserError.
/// Both may be called from several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::vector<int32_t> encode(std::string_view line) const = 0;
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  /// Many at once, in order: what a corpus wants, since a tokeniser in another process has a cost per call.
  virtual std::vector<std::vector<int32_t>> encode_lines(std::span<const std::string> lines) const;
  virtual std::vector<std::string> decode_lines(std::span<const std::vector<int32_t>> lines) const;

  /// How many ids there are, the four specials included.
  virtual int32_t size() const = 0;

  /// The token of every id, in order: <s>, <pad>, </s>, <unk>, and then the vocabulary.
  virtual std::vector<std::string> vocabulary() const = 0;

  /// 64 hexadecimal digits that change with anything that could change an id. Names caches and guards checkpoints.
  virtual std::string fingerprint() const = 0;
};

/// A tokeniser in this process, which can also show its pieces as text. Unlike ids, pieces keep what the vocabulary
/// does not know, so `join(pieces(line))` loses nothing.
class PieceTokenizer : public Tokenizer {
 public:
  virtual std::vector<std::string> pieces(std::string_view line) const = 0;
  virtual std::string join(std::span<const std::string> pieces) const = 0;
};

/// Throws UserError unless 0 <= id < size.
void check_id(int32_t id, int32_t size);

}  // namespace plumb
