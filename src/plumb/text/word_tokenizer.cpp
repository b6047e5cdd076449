#include "plumb/text/word_tokenizer.h"

#include "plumb/base/unicode.h"

namespace plumb {

WordTokenizer::WordTokenizer(const std::string& dict) : DictionaryTokenizer(dict) {
  fingerprint_ = fingerprint_of(dictionary_, "words 1");
}

std::vector<std::string> WordTokenizer::pieces(std::string_view line) const {
  const std::vector<std::string_view> words = split_at_spaces(line);
  return {words.begin(), words.end()};
}

std::string WordTokenizer::join(std::span<const std::string> pieces) const {
  std::string text;
  for (const std::string& piece : pieces) {
    if (!text.empty()) text += ' ';
    text += piece;
  }
  return text;
}

}  // namespace plumb
