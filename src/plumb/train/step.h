#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "plumb/config/config.h"
#include "plumb/dist/workers.h"
#include "plumb/nn/transformer.h"
#include "plumb/optim/optimiser.h"
#include "plumb/task/batch.h"
#include "plumb/train/batch_cursor.h"
#include "plumb/train/nonfinite.h"
#include "plumb/train/phase.h"

namespace plumb {

/// What one update was, over all workers.
struct StepResult {
  double loss = 0, nll = 0;  // mean per target token
  double gradient_norm = 0;  // of the mean, before clipping
  double lr = 0;
  int64_t tokens = 0, rows = 0;
  double fill = 0;  // share of the token budget
  /// False for an update that was not finite: the parameters are as they were, and `nonfinite` says where it began.
  bool applied = true;
  NonFinite nonfinite = {};
};

/// Makes updates of a model: accumulates the gradients of an update's batches, exchanges them with the other workers,
/// clips and optimises. The loss is the mean over all target tokens of the update, whatever batches and workers they
/// came from.
class Step {
 public:
  /// The arguments live longer than the step.
  Step(const Config& config, Transformer& model, Workers& workers, PhaseFile& phase);

  /// The update with this number, which counts from 0, out of the next `train.update_freq` batches. `before_change` is
  /// called when the gradients are known and the parameters are about to change.
  StepResult take(int64_t update, BatchCursor& batches, const std::function<void()>& before_change = {});

  Optimiser& optimiser() { return *optimiser_; }

 private:
  /// A batch of this worker and its number in the run.
  struct Last {
    TrainingBatch batch;
    int64_t number = -1;
  };
  /// Leaves the gradients of this worker's share in the store, their sums in `sums`, and gives the last batch.
  Last accumulate(int64_t update, BatchCursor& batches, std::span<double> sums);

  const Config& config_;
  Transformer& model_;
  Workers& workers_;
  PhaseFile& phase_;
  std::unique_ptr<Optimiser> optimiser_;
  ScheduleConfig schedule_;
};

/// How a run passes batch number `batch`, counted from its beginning, through a model there: each has its own dropout.
Pass training_pass(const Config& config, int64_t batch, const Where& where);

}  // namespace plumb
