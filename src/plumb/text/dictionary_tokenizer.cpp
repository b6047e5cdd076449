#include "plumb/text/dictionary_tokenizer.h"

namespace plumb {

std::vector<int32_t> DictionaryTokenizer::encode(std::string_view line) const {
  std::vector<int32_t> ids;
  for (const std::string& piece : pieces(line)) ids.push_back(dictionary_.id_of(piece));
  return ids;
}

std::string DictionaryTokenizer::decode(std::span<const int32_t> ids) const {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    check_id(id, size());
    if (id != kBos && id != kPad && id != kEos) pieces.push_back(dictionary_.token(id));
  }
  return join(pieces);
}

}  // namespace plumb
