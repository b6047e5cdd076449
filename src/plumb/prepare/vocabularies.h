#pragma once

#include <memory>

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/prepare/corpus_files.h"
#include "plumb/text/tokenizer.h"

namespace plumb {

/// What turns one side's lines into ids, and the files that it needs. Where a side has no text there is neither.
struct Vocabulary {
  TokenizerFiles files;
  std::shared_ptr<Tokenizer> tokenizer;

  int64_t size() const { return tokenizer ? tokenizer->size() : 0; }
  std::string fingerprint() const { return tokenizer ? tokenizer->fingerprint() : ""; }
};

struct Vocabularies {
  Vocabulary source, target;
};

/// The vocabularies of a task: those of `run`, if it is not empty; else those of the run that the config fine-tunes,
/// those that it names, or new ones, made of the training text and kept in the cache.
Vocabularies vocabularies_of(const Config& config, const SplitFiles& train, const std::string& run);

}  // namespace plumb
