#pragma once

#include <future>
#include <vector>

#include "plumb/checkpoint/checkpoint.h"
#include "plumb/checkpoint/prune.h"
#include "plumb/train/phase.h"

namespace plumb {

/// Writes checkpoints on a thread of its own, one at a time, while training goes on. Nothing is copied: the tensors are
/// written from where they lie, while the next update computes its gradients.
class CheckpointWriter {
 public:
  CheckpointWriter(const Checkpoints& checkpoints, PhaseFile& phase)
      : checkpoints_(checkpoints), pruner_(checkpoints), phase_(phase) {}
  /// Waits. What went wrong since the last wait is lost.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// What CheckpointPruner::prune() is told when the checkpoint stands.
  struct Keep {
    int64_t newest;
    std::vector<int64_t> spared;
  };

  /// Begins to write a checkpoint, after the one before.
  void start(int64_t update, const ParameterStore& parameters, const Optimiser& optimiser, CheckpointState state,
             Keep keep);

  /// Call it before parameters or optimiser change: waits until they are written. This and wait() throw what went wrong
  /// with a checkpoint.
  void wait_for_tensors();
  /// Waits until the checkpoint stands under its name and old ones are gone.
  void wait();

 private:
  const Checkpoints& checkpoints_;
  CheckpointPruner pruner_;  // the writing thread's
  PhaseFile& phase_;
  std::future<void> tensors_, checkpoint_;
};

}  // namespace plumb
