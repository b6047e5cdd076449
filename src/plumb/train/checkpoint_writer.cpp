#include "plumb/train/checkpoint_writer.h"

#include <chrono>
#include <memory>
#include <utility>

#include "plumb/process/signals.h"

namespace plumb {
namespace {

/// Lets go of the tensors when they are written, at the latest when it is destroyed: whoever waits to change them must
/// not wait for ever.
class TensorRelease {
 public:
  ~TensorRelease() { give(); }
  void give() {
    if (!std::exchange(given_, true)) promise_.set_value();
  }
  std::future<void> future() { return promise_.get_future(); }

 private:
  bool given_ = false;
  std::promise<void> promise_;
};

}  // namespace

CheckpointWriter::~CheckpointWriter() {
  if (checkpoint_.valid()) checkpoint_.wait();
}

void CheckpointWriter::start(int64_t update, const ParameterStore& parameters, const Optimiser& optimiser,
                             CheckpointState state, Keep keep) {
  wait();
  auto release = std::make_shared<TensorRelease>();
  tensors_ = release->future();
  checkpoint_ = std::async(std::launch::async, [this, update, &parameters, &optimiser, release, keep = std::move(keep),
                                                state = std::move(state)]() mutable {
    const std::shared_ptr<TensorRelease> own = std::move(release);  // goes with this call, also by an exception
    const UnwatchedWork writing;
    phase_.set(Phase::Checkpoint, update);
    checkpoints_.save(update, parameters, optimiser, std::move(state), [&] { own->give(); });
    phase_.set(Phase::Pruning, update);
    pruner_.prune(update, keep.newest, keep.spared);
  });
}

void CheckpointWriter::wait_for_tensors() {
  if (tensors_.valid()) tensors_.get();
  const bool ended = checkpoint_.valid() && checkpoint_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (ended) checkpoint_.get();
}

void CheckpointWriter::wait() {
  if (tensors_.valid()) tensors_.get();
  if (checkpoint_.valid()) checkpoint_.get();
}

}  // namespace plumb
