#include "plumb/task/run_tokenizer.h"

#include "plumb/data/open_dictionary.h"
#include "plumb/text/text_client.h"

namespace plumb {

std::unique_ptr<Tokenizer> open_tokenizer(const TokenizerFiles& files, const DataConfig& data) {
  if (!files.model.empty()) return std::make_unique<PipedTokenizer>(files.model);
  return open_dictionary(files, data.subwords, data.lowercase);
}

std::unique_ptr<Tokenizer> open_labels(const TokenizerFiles& files) {
  return open_dictionary(files, Subwords::Word, /*lowercase=*/false);
}

}  // namespace plumb
