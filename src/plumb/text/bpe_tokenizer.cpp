#include "plumb/text/bpe_tokenizer.h"

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"

namespace plumb {
namespace {

constexpr std::string_view kSpaces = " \t\v\f\r\n";
constexpr std::string_view kContinues = "@@";

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (size_t begin = line.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kSpaces, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpaces, end);
  }
  return words;
}

std::string fingerprint_of(const BpeFiles& files, const Dictionary& dictionary) {
  Sha256 hash;
  hash.update("subword-nmt 1\n");
  for (const std::string& token : dictionary.tokens()) {
    hash.update(token);
    hash.update("\n");
  }
  hash.update(files.codes.empty() ? "no codes\n" : sha256_of_file(files.codes));
  if (!files.codes.empty() && !files.vocabulary.empty()) {
    hash.update(sha256_of_file(files.vocabulary) + std::to_string(files.vocabulary_threshold));
  }
  return hash.hex_digest();
}

}  // namespace

BpeTokenizer::BpeTokenizer(const BpeFiles& files) : DictionaryTokenizer(files.dict) {
  if (files.codes.empty() && !files.vocabulary.empty()) {
    throw UserError(files.vocabulary, "a vocabulary restricts the merges of codes, and there are none",
                    "Give the codes as well, or leave it out");
  }
  if (!files.codes.empty()) bpe_.emplace(files.codes);
  if (!files.vocabulary.empty()) bpe_->restrict_to(files.vocabulary, files.vocabulary_threshold);
  fingerprint_ = fingerprint_of(files, dictionary_);
}

std::vector<std::string> BpeTokenizer::pieces(std::string_view line) const {
  std::vector<std::string> words = words_of(line);
  if (!bpe_) return words;
  std::vector<std::string> pieces;
  for (const std::string& word : words) {
    for (std::string& piece : bpe_->segment(word)) pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string BpeTokenizer::join(std::span<const std::string> pieces) const {
  std::string text;
  for (const std::string_view piece : pieces) {
    if (piece.ends_with(kContinues)) {
      text += piece.substr(0, piece.size() - kContinues.size());
    } else {
      text.append(piece) += ' ';
    }
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace plumb
