#pragma once

#include <cstdint>
#include <vector>

#include "plumb/data/batches.h"
#include "plumb/task/corpus.h"
#include "plumb/train/prefetch.h"

namespace plumb {

/// Where a run is in its data: goes through the batches of one epoch after another and reads ahead. Which batches an
/// epoch has is a pure function of (seed, epoch), so a position is all that a checkpoint has to keep.
class BatchCursor {
 public:
  struct Position {
    int64_t epoch = 0;
    int64_t batch = 0;  // of the epoch
  };

  BatchCursor(const TaskCorpus& corpus, int64_t max_tokens, uint64_t seed)
      : corpus_(corpus), max_tokens_(max_tokens), seed_(seed) {}

  const Position& position() const { return at_; }
  /// The next epoch if this one has no such batch, which may be after a change of the batches.
  void go_to(const Position& position);

  /// How many epochs were read: 1.5 in the middle of the second. The learning rate may depend on it.
  double epochs() const;

  /// The batch at the cursor, which stays.
  TrainingBatch peek();
  /// The batch at the cursor, which moves on.
  TrainingBatch next();
  /// Passes the batch over: it is another worker's.
  void skip();

 private:
  /// The batches of this epoch.
  const std::vector<SentenceList>& plan();
  Draw draw() const { return {.training = true, .seed = seed_, .epoch = at_.epoch}; }

  const TaskCorpus& corpus_;
  int64_t max_tokens_;
  uint64_t seed_;
  Prefetch prefetch_{corpus_};
  Position at_;
  int64_t planned_epoch_ = -1;
  std::vector<SentenceList> plan_;
};

}  // namespace plumb
