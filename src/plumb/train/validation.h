#pragma once

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/task.h"

namespace plumb {

/// Over the whole corpus, without dropout or gradients.
Validation validate(const Transformer& model, const TaskCorpus& corpus, const TrainConfig& config);

}  // namespace plumb
