#include "support/prepared_text.h"

#include "plumb/base/atomic_file.h"
#include "plumb/base/sha256.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/data/token_file.h"

namespace plumb {

PreparedText prepared_text(const TemporaryDirectory& folder, const std::vector<std::vector<int32_t>>& lines,
                           int32_t words, const std::string& name) {
  std::string text, dict;
  TokenFileWriter writer;
  for (const std::vector<int32_t>& line : lines) {
    writer.add(line);
    for (size_t i = 0; i < line.size(); ++i) text += (i == 0 ? "w" : " w") + std::to_string(line[i]);
    text += '\n';
  }
  for (int32_t word = kSpecials; word < words; ++word) dict += 'w' + std::to_string(word) + " 1\n";
  PreparedText result;
  result.side = {(folder / (name + ".txt")).string(), (folder / (name + ".tokens")).string(), {}};
  write_whole(result.side.text, text);
  writer.write(result.side.tokens, sha256_hex(text));
  const TokenizerFiles files{.model = {}, .codes = {}, .dict = (folder / (name + ".dict")).string()};
  write_whole(files.dict, dict);
  result.vocabulary = {files, files};
  return result;
}

}  // namespace plumb
