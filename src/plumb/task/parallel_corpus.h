#pragma once

#include "plumb/data/prepared.h"
#include "plumb/data/token_file.h"
#include "plumb/task/corpus.h"

namespace plumb {

/// Lines of a text and what belongs to each of them. </s> ends both sides; the decoder reads the target shifted by one,
/// starting from </s>, as in fairseq.
class ParallelCorpus : public TaskCorpus {
 public:
  /// Pairs with an empty side or with more than `max_length` tokens, </s> counted, are left out if it is positive.
  ParallelCorpus(const PreparedSplit& files, int64_t max_length);

  TrainingBatch batch(const SentenceList& sentences, const Draw& draw = {}) const override;
  Tokens source(const SentenceList& sentences) const;
  /// Of the target's tokens, </s> included.
  double unigram_entropy() const override;

  int64_t target_tokens() const;
  /// Line numbers in the text, from 0.
  int64_t line(int64_t sentence) const { return kept_[static_cast<size_t>(sentence)]; }

 private:
  TokenFile source_, target_;
  std::vector<int64_t> kept_;
};

/// The rows of a decoder for target lines: its input, shifted, and its targets.
struct DecoderRows {
  Packer inputs, targets;

  void add(std::span<const int32_t> ids, int64_t sample);
};

/// Packs rows of ids, each with </s> at its end.
Tokens pack_sources(std::span<const std::vector<int32_t>> sentences, std::span<const int64_t> samples);

}  // namespace plumb
