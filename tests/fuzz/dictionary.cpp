// dict.txt, the codes and the vocabulary of subword-nmt, and a line to split with them; the byte 0xFF separates them.

#include "plumb/text/dictionary.h"

#include "plumb/text/bpe_tokenizer.h"
#include "plumb/text/character_tokenizer.h"
#include "plumb/text/word_tokenizer.h"

#include "fuzz_input.h"

namespace {

void both_ways(const plumb::PieceTokenizer& tokenizer, const std::string& line) {
  for (const int32_t id : tokenizer.encode(line)) {
    if (id < plumb::kUnk || id >= tokenizer.size()) __builtin_trap();  // text never makes bos, pad or eos
  }
  (void)tokenizer.decode(tokenizer.encode(line));
  (void)tokenizer.join(tokenizer.pieces(line));
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  const std::vector<std::string> parts = fuzz::in_parts(fuzz::as_text(data, size), 4);
  const fuzz::MemoryFile dict(parts[0]), codes(parts[1]), vocabulary(parts[2]);
  fuzz::refusals_are_fine([&] { both_ways(WordTokenizer(dict.path()), parts[3]); });
  fuzz::refusals_are_fine([&] { both_ways(CharacterTokenizer(dict.path()), parts[3]); });
  fuzz::refusals_are_fine([&] { both_ways(BpeTokenizer({.dict = dict.path()}), parts[3]); });
  return fuzz::refusals_are_fine([&] {
    const bool all = !parts[2].empty();
    both_ways(BpeTokenizer({.dict = dict.path(), .codes = codes.path(), .vocabulary = all ? vocabulary.path() : ""}),
              parts[3]);
  });
}
