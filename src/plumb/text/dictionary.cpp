#include "plumb/text/dictionary.h"

#include <charconv>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/tokenizer.h"

namespace plumb {
namespace {

constexpr std::string_view kOverwrite = " #fairseq:overwrite";

std::string_view trim_end(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

}  // namespace

bool split_count(std::string_view line, std::string_view& token, int64_t& count) {
  const size_t space = line.rfind(' ');
  if (space == std::string_view::npos || space == 0) return false;
  token = line.substr(0, space);
  const std::string_view digits = line.substr(space + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc() && end == digits.data() + digits.size();
}

Dictionary::Dictionary(const std::string& path) : tokens_{"<s>", "<pad>", "</s>", "<unk>"} {
  for (int32_t id = 0; id < kSpecials; ++id) ids_[token(id)] = id;
  LineReader reader(path);
  for (std::string line; reader.next(line);) add(line, fmt::format("{}:{}", path, reader.findings().lines));
  if (size() == kSpecials) throw UserError(path, "the dictionary is empty", "Give fairseq's dict.txt: token count");
  for (int32_t id : {kBos, kPad, kEos}) {
    if (const auto found = ids_.find(token(id)); found->second == id) ids_.erase(found);
  }
}

void Dictionary::add(std::string_view line, const std::string& where) {
  line = trim_end(line);
  const bool overwrite = line.ends_with(kOverwrite);
  if (overwrite) line.remove_suffix(kOverwrite.size());
  std::string_view token;
  int64_t count = 0;
  if (!split_count(line, token, count)) {
    throw UserError(where, fmt::format("'{}' is not a token and its count", line),
                    "A line of fairseq's dict.txt reads: token count");
  }
  const auto [place, is_new] = ids_.try_emplace(std::string(token), size());
  if (!is_new && !overwrite) {
    throw UserError(where, fmt::format("the token '{}' has been there before", token),
                    "Remove the line, or end it with #fairseq:overwrite");
  }
  place->second = size();
  tokens_.emplace_back(token);
}

int32_t Dictionary::id_of(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? kUnk : found->second;
}

std::string fingerprint_of(const Dictionary& dictionary, std::string_view kind) {
  Sha256 hash;
  hash.update(kind);
  hash.update("\n");
  for (const std::string& token : dictionary.tokens()) {
    hash.update(token);
    hash.update("\n");
  }
  return hash.hex_digest();
}

}  // namespace plumb
