#include "plumb/train/validation.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/process/signals.h"
#include "plumb/task/loss.h"

namespace plumb {

Validation validate(const Transformer& model, const TaskCorpus& corpus, const TrainConfig& config) {
  at::NoGradGuard no_grad;
  Validation result;
  for (const SentenceList& examples : ordered_batches(corpus.lengths(), config.max_tokens)) {
    note_progress();
    const TrainingBatch batch = corpus.batch(examples).to(model.where());
    const ops::CrossEntropy sums = losses(model, batch, config, model.pass());
    result.loss += sums.smoothed.item<double>();
    result.nll += sums.nll.item<double>();
    result.targets += batch.tokens();
  }
  result.loss /= static_cast<double>(result.targets);
  result.nll /= static_cast<double>(result.targets);
  return result;
}

}  // namespace plumb
