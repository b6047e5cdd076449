#pragma once

#include <future>

#include "plumb/task/corpus.h"

namespace plumb {

/// Reads and packs the next batch on another thread while the model works on this one.
class Prefetch {
 public:
  explicit Prefetch(const TaskCorpus& corpus) : corpus_(corpus) {}

  /// The batch of the examples `now`, ready if the call before named them as `next`, which may be null, with the same
  /// `draw`. Both are drawn as it says.
  TrainingBatch take(const SentenceList& now, const SentenceList* next, const Draw& draw = {});

 private:
  const TaskCorpus& corpus_;
  SentenceList coming_;
  Draw coming_draw_;
  std::future<TrainingBatch> batch_;
};

}  // namespace plumb
