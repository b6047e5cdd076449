#include "plumb/data/open_dictionary.h"

#include "plumb/text/bpe_tokenizer.h"
#include "plumb/text/character_tokenizer.h"
#include "plumb/text/lowercase_tokenizer.h"
#include "plumb/text/word_tokenizer.h"

namespace plumb {
namespace {

std::unique_ptr<PieceTokenizer> opened(const TokenizerFiles& files, Subwords subwords) {
  if (subwords == Subwords::Word) return std::make_unique<WordTokenizer>(files.dict);
  if (subwords == Subwords::Character) return std::make_unique<CharacterTokenizer>(files.dict);
  return std::make_unique<BpeTokenizer>(BpeFiles{.dict = files.dict, .codes = files.codes, .vocabulary = {}});
}

}  // namespace

std::unique_ptr<Tokenizer> open_dictionary(const TokenizerFiles& files, Subwords subwords, bool lowercase) {
  std::unique_ptr<PieceTokenizer> tokenizer = opened(files, subwords);
  if (!lowercase) return tokenizer;
  return std::make_unique<LowercaseTokenizer>(std::move(tokenizer));
}

}  // namespace plumb
