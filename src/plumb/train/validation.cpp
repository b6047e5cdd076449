#include "plumb/train/validation.h"

#include <cmath>

#include <ATen/ATen.h>

#include "plumb/decode/generate.h"
#include "plumb/ops/gemm.h"

namespace plumb {

double Validation::perplexity() const {
  return std::exp(nll);
}

Validation validate(const Transformer& model, const ParallelCorpus& corpus, const TrainConfig& config) {
  at::NoGradGuard no_grad;
  double loss = 0, nll = 0;
  for (const SentenceList& sentences : ordered_batches(corpus.lengths(), config.max_tokens)) {
    const TrainingBatch batch = corpus.batch(sentences);
    const ops::CrossEntropy sums = model.cross_entropies(model.features(batch.inputs, {}), batch.targets,
                                                         config.label_smoothing, config.smoothing_over);
    loss += sums.smoothed.item<double>();
    nll += sums.nll.item<double>();
  }
  const double tokens = static_cast<double>(corpus.target_tokens());
  return {loss / tokens, nll / tokens};
}

std::vector<std::vector<int32_t>> translate(const Transformer& model, const ParallelCorpus& corpus,
                                            const GenerateConfig& config) {
  std::vector<std::vector<int32_t>> output(corpus.lengths().size());
  const DecodeOptions options = decode_options(config, /*seed=*/1);
  const ops::PanelScope weights_stay;
  for (const SentenceList& sentences : ordered_batches(corpus.lengths(), config.max_tokens)) {
    const auto found = generate(model, corpus.source(sentences), options);
    for (size_t i = 0; i < sentences.size(); ++i) output[static_cast<size_t>(sentences[i])] = found[i].front().tokens;
  }
  return output;
}

}  // namespace plumb
