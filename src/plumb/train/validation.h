#pragma once

#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/translation.h"

namespace plumb {

struct Validation {
  double loss = 0;  // smoothed, nats per token
  double nll = 0;   // nats per token
  double perplexity() const;
};

/// Over the whole corpus, without dropout or gradients.
Validation validate(const Transformer& model, const ParallelCorpus& corpus, const TrainConfig& config);

/// The output for every sentence of the corpus, in its order, as ids.
std::vector<std::vector<int32_t>> translate(const Transformer& model, const ParallelCorpus& corpus,
                                            const GenerateConfig& config);

}  // namespace plumb
