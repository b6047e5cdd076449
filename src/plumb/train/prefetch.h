#pragma once

#include <future>

#include "plumb/data/batches.h"
#include "plumb/task/translation.h"

namespace plumb {

/// Reads and packs the next batch on another thread while the model works on this one.
class Prefetch {
 public:
  explicit Prefetch(const ParallelCorpus& corpus) : corpus_(corpus) {}

  /// The batch of the sentences `now`, ready if the call before named them as `next`. `next` may be null.
  TrainingBatch take(const SentenceList& now, const SentenceList* next);

 private:
  const ParallelCorpus& corpus_;
  SentenceList coming_;
  std::future<TrainingBatch> batch_;
};

}  // namespace plumb
