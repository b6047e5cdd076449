#include "plumb/text/tokenizer.h"

#include <fmt/format.h>

#include "plumb/base/error.h"

namespace plumb {

std::vector<std::vector<int32_t>> Tokenizer::encode_lines(std::span<const std::string> lines) const {
  std::vector<std::vector<int32_t>> ids;
  ids.reserve(lines.size());
  for (const std::string& line : lines) ids.push_back(encode(line));
  return ids;
}

std::vector<std::string> Tokenizer::decode_lines(std::span<const std::vector<int32_t>> lines) const {
  std::vector<std::string> text;
  text.reserve(lines.size());
  for (const std::vector<int32_t>& ids : lines) text.push_back(decode(ids));
  return text;
}

void check_id(int32_t id, int32_t size) {
  if (id >= 0 && id < size) return;
  throw UserError(fmt::format("id {}", id), fmt::format("the vocabulary has the ids 0 to {}", size - 1),
                  "Use the tokeniser that the ids were made with");
}

}  // namespace plumb
