#pragma once

#include <memory>

#include "plumb/catalogue/terms.h"
#include "plumb/data/prepared.h"
#include "plumb/text/tokenizer.h"

namespace plumb {

/// The tokeniser of files without a SentencePiece model: words, characters or subword-nmt's pieces.
std::unique_ptr<Tokenizer> open_dictionary(const TokenizerFiles& files, Subwords subwords, bool lowercase);

}  // namespace plumb
