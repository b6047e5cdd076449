#include "plumb/train/prefetch.h"

namespace plumb {

TrainingBatch Prefetch::take(const SentenceList& now, const SentenceList* next, const Draw& draw) {
  TrainingBatch batch;
  if (batch_.valid()) {
    TrainingBatch ready = batch_.get();
    if (coming_ == now && coming_draw_ == draw) batch = std::move(ready);
  }
  if (!batch.targets.defined()) batch = corpus_.batch(now, draw);
  if (next) {
    coming_ = *next;
    coming_draw_ = draw;
    batch_ = std::async(std::launch::async, [this, draw] { return corpus_.batch(coming_, draw); });
  }
  return batch;
}

}  // namespace plumb
