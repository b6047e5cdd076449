#include "plumb/train/step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>

#include "plumb/optim/clip.h"
#include "plumb/optim/schedule.h"
#include "plumb/process/signals.h"
#include "plumb/task/loss.h"

namespace plumb {
namespace {

/// What is summed over the batches of an update and over the workers. Counts are exact in a double.
enum UpdateSum : size_t { kLossSum, kNllSum, kTokenSum, kRowSum, kFillSum, kUpdateSums };

}  // namespace

Pass training_pass(const Config& config, int64_t batch, const Where& where) {
  return {.training = true,
          .seed = static_cast<uint64_t>(config.seed),
          .step = static_cast<uint64_t>(batch),
          .recompute = config.train.recompute,
          .where = where};
}

Step::Step(const Config& config, Transformer& model, Workers& workers, PhaseFile& phase)
    : config_(config),
      model_(model),
      workers_(workers),
      phase_(phase),
      optimiser_(make_optimiser(config.optim, model.parameters())),
      schedule_(complete_schedule(config.schedule, config.train.max_update)) {}

StepResult Step::take(int64_t update, BatchCursor& batches, const std::function<void()>& before_change) {
  StepResult result{.lr = learning_rate(schedule_, config_.optim.lr, update, batches.epochs())};
  const at::Tensor& gradients = model_.parameters().gradients();
  std::array<double, kUpdateSums> sums{};
  const Last last = accumulate(update, batches, sums);
  phase_.set(Phase::Step, update);
  workers_.sum(gradients, sums);
  const double tokens = sums[kTokenSum];
  result.loss = sums[kLossSum] / tokens;
  result.nll = sums[kNllSum] / tokens;
  result.tokens = static_cast<int64_t>(tokens);
  result.rows = static_cast<int64_t>(sums[kRowSum]);
  result.fill = sums[kFillSum];
  result.gradient_norm = gradient_norm(gradients) / tokens;
  const bool finite = std::isfinite(result.loss) && std::isfinite(result.gradient_norm);
  result.applied = !workers_.agree(!finite);
  if (result.applied) {
    if (before_change) before_change();
    optimiser_->step(result.lr, clip_factor(result.gradient_norm, config_.optim.clip_norm) / tokens);
  } else if (last.number >= 0) {
    const Pass pass = training_pass(config_, last.number, model_.where());
    result.nonfinite = locate_nonfinite(model_, last.batch, config_.train, pass);
  }
  return result;
}

Step::Last Step::accumulate(int64_t update, BatchCursor& batches, std::span<double> sums) {
  const TrainConfig& t = config_.train;
  const Workers::Share mine = workers_.share(t.update_freq);
  model_.parameters().zero_gradients();
  Last last;
  for (int64_t i = 0; i < t.update_freq; ++i) {
    if (!mine.contains(i)) {
      batches.skip();
      continue;
    }
    note_progress();
    phase_.set(i == mine.begin ? Phase::Step : Phase::Accumulation, update);
    last = {batches.next().to(model_.where()), update * t.update_freq + i};
    const TrainingBatch& batch = last.batch;
    const ops::CrossEntropy losses_of_batch =
        losses(model_, batch, t, training_pass(config_, last.number, model_.where()));
    losses_of_batch.smoothed.backward();
    sums[kLossSum] += losses_of_batch.smoothed.item<double>();
    sums[kNllSum] += losses_of_batch.nll.item<double>();
    sums[kTokenSum] += static_cast<double>(batch.tokens());
    sums[kRowSum] += static_cast<double>(batch.source_rows() + batch.target_rows());
    sums[kFillSum] += static_cast<double>(std::max(batch.source_rows(), batch.target_rows())) /
                      static_cast<double>(t.max_tokens * t.update_freq);
  }
  return last;
}

}  // namespace plumb
