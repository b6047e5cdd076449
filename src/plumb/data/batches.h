#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb {

/// The sentences of one batch, as indices into the corpus.
using SentenceList = std::vector<int64_t>;

/// How many rows each side of a sentence pair takes, end of sentence included. A side that a task does not have is 0.
struct PairLengths {
  int64_t source = 0;
  int64_t target = 0;

  int64_t longest() const { return source > target ? source : target; }
};

/// The batches of one epoch: a pure function of its arguments, so that a run resumes from (epoch, batch) alone.
///
/// Sentences of similar length share a batch (equal lengths in random order), no batch has more than `max_tokens` rows
/// on either side, every sentence stands in exactly one batch, and the batches come in random order. Without padding
/// the budget is met by real tokens. A sentence that is longer than the budget gets a batch of its own, and one that is
/// many times as long as the others shares its batch with few.
std::vector<SentenceList> epoch_batches(std::span<const PairLengths> lengths, int64_t max_tokens, uint64_t seed,
                                        int64_t epoch);

/// The same in the order of length, longest first, without any randomness: for validation and generation.
std::vector<SentenceList> ordered_batches(std::span<const PairLengths> lengths, int64_t max_tokens);

}  // namespace plumb
