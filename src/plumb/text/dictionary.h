#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/string_map.h"

namespace plumb {

/// fairseq's dict.txt: one `token count` per line. The four specials are not in the file and have the ids 0 to 3; the
/// lines follow from 4. A token that comes twice is an error, unless its line ends in `#fairseq:overwrite`: then the
/// later id counts, and the earlier one is only ever decoded.
class Dictionary {
 public:
  explicit Dictionary(const std::string& path);

  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }

  /// kUnk if there is none. The names of bos, pad and eos are unknown as well: text must not be able to end a sentence.
  int32_t id_of(std::string_view token) const;

  const std::string& token(int32_t id) const { return tokens_[static_cast<size_t>(id)]; }
  const std::vector<std::string>& tokens() const { return tokens_; }

 private:
  void add(std::string_view line, const std::string& where);

  std::vector<std::string> tokens_;
  StringMap<int32_t> ids_;
};

/// For the fingerprint of a tokeniser: changes with `kind` (how it makes tokens of a line) and with every token and its
/// place, and not with the counts.
std::string fingerprint_of(const Dictionary& dictionary, std::string_view kind);

/// Splits `token count`, a line of dict.txt or of subword-nmt's vocabularies, at its last space. False if it is not
/// one.
bool split_count(std::string_view line, std::string_view& token, int64_t& count);

}  // namespace plumb
