#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/dictionary_tokenizer.h"
#include "plumb/text/utf8.h"

namespace plumb {

/// Every code point is a token, blanks included, so `decode(encode(line)) == line` whenever the dictionary knows the
/// characters: however many blanks, wherever they stand. An emoji that is joined of several code points is as many
/// tokens. A byte that is not UTF-8 is an unknown character.
///
/// A dictionary cannot show a blank; it is written U+2581, as SentencePiece does it, and U+2581 itself twice.
class CharacterTokenizer : public DictionaryTokenizer {
 public:
  /// `dict` is a dict.txt of build_character_dictionary; a token of several characters in it is a UserError.
  explicit CharacterTokenizer(const std::string& dict);

  std::vector<std::string> pieces(std::string_view line) const override;
  std::string join(std::span<const std::string> pieces) const override;
};

/// How a dictionary writes a character.
std::string_view token_of_character(std::string_view character);

/// The way back; a token that is no character is itself.
std::string_view character_of_token(std::string_view token);

template <class Visit>
void for_each_character(std::string_view line, const Visit& visit) {
  for (size_t at = 0; at < line.size();) {
    const size_t length = code_point_length(line, at);
    visit(line.substr(at, length));
    at += length;
  }
}

}  // namespace plumb
