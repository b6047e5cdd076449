#include "plumb/train/batch_cursor.h"

#include <iterator>

namespace plumb {

void BatchCursor::go_to(const Position& position) {
  at_ = position;
  // Planned now, because epochs() counts in its batches.
  if (at_.batch >= std::ssize(plan())) at_ = {at_.epoch + 1, 0};
}

double BatchCursor::epochs() const {
  // At the start of an epoch, which may not be planned yet, there is nothing to divide.
  const double part = at_.batch == 0 ? 0 : static_cast<double>(at_.batch) / static_cast<double>(plan_.size());
  return static_cast<double>(at_.epoch) + part;
}

const std::vector<SentenceList>& BatchCursor::plan() {
  if (planned_epoch_ != at_.epoch) {
    plan_ = epoch_batches(corpus_.lengths(), max_tokens_, seed_, at_.epoch);
    planned_epoch_ = at_.epoch;
  }
  return plan_;
}

TrainingBatch BatchCursor::peek() {
  return corpus_.batch(plan()[static_cast<size_t>(at_.batch)], draw());
}

TrainingBatch BatchCursor::next() {
  const auto index = static_cast<size_t>(at_.batch);
  const SentenceList* after = index + 1 < plan().size() ? &plan()[index + 1] : nullptr;
  TrainingBatch batch = prefetch_.take(plan()[index], after, draw());
  skip();
  return batch;
}

void BatchCursor::skip() {
  if (++at_.batch == std::ssize(plan())) at_ = {at_.epoch + 1, 0};
}

}  // namespace plumb
