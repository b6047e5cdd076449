#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/batch.h"

namespace plumb::probe {

/// Sentences that a model is measured on, and what it should say.
using ProbeBatch = TrainingBatch;

/// The sentences of one measurement. The same for all variants, depths and seeds.
struct Sample {
  std::string origin;               // in words
  std::vector<ProbeBatch> batches;  // mini-batches for expected gradients
  std::vector<ProbeBatch> fixed;    // the fixed set of the curvature, in chunks

  Sample to(const Where& where) const;
};

/// From a corpus that `plumb prepare` left: mini-batches of the training set, and the first examples of the validation
/// set, as the config's task makes them.
Sample sample_of(const Config& config, const Prepared& data);

/// Without a corpus: tokens by Zipf's law, of the sizes of the model's vocabularies, in sentences of 4 to 100 tokens
/// (log-normal, 22 in the mean) whose translation is about as long. A language model reads the translations, an encoder
/// the sources with a seventh of their tokens masked (as <unk>).
Sample random_sample(const Config& config);

/// The mean label-smoothed loss over the batch's targets.
at::Tensor mean_loss(const Transformer& model, const ProbeBatch& batch, const TrainConfig& train, Pass pass = {});

}  // namespace plumb::probe
