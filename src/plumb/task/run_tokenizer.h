#pragma once

#include <memory>

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/text/tokenizer.h"

namespace plumb {

/// The tokeniser that the files describe, in this process or behind a pipe. `data` says what the files do not: whether
/// a dictionary holds words or characters, and whether text is turned into lower case.
std::unique_ptr<Tokenizer> open_tokenizer(const TokenizerFiles& files, const DataConfig& data);

/// The names of classes, one for each label, as a tokeniser of one-token lines.
std::unique_ptr<Tokenizer> open_labels(const TokenizerFiles& files);

/// A tokeniser that is opened when it is first needed: one behind a pipe is a process.
class LazyTokenizer {
 public:
  LazyTokenizer(TokenizerFiles files, DataConfig data) : files_(std::move(files)), data_(std::move(data)) {}
  const Tokenizer& operator*() const {
    if (!tokenizer_) tokenizer_ = open_tokenizer(files_, data_);
    return *tokenizer_;
  }
  const Tokenizer* operator->() const { return &**this; }

 private:
  TokenizerFiles files_;
  DataConfig data_;
  mutable std::unique_ptr<Tokenizer> tokenizer_;
};

}  // namespace plumb
