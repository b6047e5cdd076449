#include "plumb/text/word_tokenizer.h"

#include "plumb/base/unicode.h"

namespace plumb {
namespace {

void append_word(std::string& text, std::string_view word) {
  if (!text.empty()) text += ' ';
  text += word;
}

}  // namespace

WordTokenizer::WordTokenizer(const std::string& dict)
    : dictionary_(dict), fingerprint_(fingerprint_of(dictionary_, "words 1")) {}

std::vector<std::string> WordTokenizer::pieces(std::string_view line) const {
  const std::vector<std::string_view> words = split_at_spaces(line);
  return {words.begin(), words.end()};
}

std::vector<int32_t> WordTokenizer::encode(std::string_view line) const {
  std::vector<int32_t> ids;
  for (const std::string_view word : split_at_spaces(line)) ids.push_back(dictionary_.id_of(word));
  return ids;
}

std::string WordTokenizer::join(std::span<const std::string> pieces) const {
  std::string text;
  for (const std::string& piece : pieces) append_word(text, piece);
  return text;
}

std::string WordTokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    check_id(id, size());
    if (id != kBos && id != kPad && id != kEos) append_word(text, dictionary_.token(id));
  }
  return text;
}

}  // namespace plumb
