#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/data/batches.h"
#include "plumb/data/numbers.h"
#include "plumb/data/prepared.h"
#include "plumb/data/token_file.h"
#include "plumb/nn/transformer.h"
#include "plumb/text/tokenizer.h"

namespace plumb {

/// Sentences as the model and its loss want them.
struct TrainingBatch {
  Batch inputs;
  at::Tensor targets;  // int64 [N], one for each row of the decoder
};

/// A parallel corpus that is read by index.
class ParallelCorpus {
 public:
  /// Pairs with an empty side or with more than `max_length` tokens, </s> counted, are left out if it is positive.
  ParallelCorpus(const PreparedSplit& files, int64_t max_length);

  std::span<const PairLengths> lengths() const { return lengths_; }
  int64_t left_out() const { return left_out_; }
  int64_t target_tokens() const;
  /// </s> ends both sides; the decoder reads the target shifted by one, starting from </s>, as in fairseq.
  TrainingBatch batch(const SentenceList& sentences) const;
  Tokens source(const SentenceList& sentences) const;

  /// Of the target's tokens, </s> included, in nats: what a model reaches that knows how often each token occurs.
  double unigram_entropy() const;

  /// Line numbers in the text, from 0.
  int64_t line(int64_t sentence) const { return kept_[static_cast<size_t>(sentence)]; }

 private:
  TokenFile source_, target_;
  std::vector<int64_t> kept_;
  std::vector<PairLengths> lengths_;
  int64_t left_out_ = 0;
};

/// Packs rows of ids, each with </s> at its end.
Tokens pack_sources(std::span<const std::vector<int32_t>> sentences, std::span<const int64_t> samples);

/// The tokeniser that the files describe, in this process or behind a pipe.
std::unique_ptr<Tokenizer> open_tokenizer(const TokenizerFiles& files);

}  // namespace plumb
