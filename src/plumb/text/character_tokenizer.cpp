#include "plumb/text/character_tokenizer.h"

#include <fmt/format.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

constexpr std::string_view kBlank = "\u2581", kTwice = "\u2581\u2581";
constexpr std::string_view kPadding = "madeupword";  // fairseq fills a dictionary up with these

bool is_one_character(std::string_view token) {
  return code_point_length(token, 0) == token.size() || token == kTwice;
}

}  // namespace

std::string_view token_of_character(std::string_view character) {
  return character == " " ? kBlank : character == kBlank ? kTwice : character;
}

std::string_view character_of_token(std::string_view token) {
  return token == kBlank ? " " : token == kTwice ? kBlank : token;
}

CharacterTokenizer::CharacterTokenizer(const std::string& dict) : DictionaryTokenizer(dict) {
  fingerprint_ = fingerprint_of(dictionary_, "characters 1");
  for (int32_t id = kSpecials; id < dictionary_.size(); ++id) {
    const std::string& token = dictionary_.token(id);
    if (is_one_character(token) || token.starts_with(kPadding)) continue;
    throw UserError(dict, fmt::format("'{}' is not one character", token), "Give a dictionary of characters");
  }
}

std::vector<std::string> CharacterTokenizer::pieces(std::string_view line) const {
  std::vector<std::string> pieces;
  for_each_character(line, [&](std::string_view character) { pieces.emplace_back(token_of_character(character)); });
  return pieces;
}

std::string CharacterTokenizer::join(std::span<const std::string> pieces) const {
  std::string text;
  for (const std::string& piece : pieces) text += character_of_token(piece);
  return text;
}

}  // namespace plumb
