#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/probe/sample.h"
#include "plumb/residual/taps.h"

namespace plumb::probe {

/// What is measured: a model by its config and seed, or by the checkpoint of a run, and the sentences to measure it on.
/// Dropout is off. A subject is cheap; the model is there from build() on.
class Subject {
 public:
  /// The sample has to be where the config's run computes.
  Subject(Config config, const Sample& sample, uint64_t seed)
      : config_(std::move(config)), where_(where_of(config_)), sample_(&sample), seed_(seed) {}

  struct Checkpoint {
    int64_t update;
    std::filesystem::path file;
  };

  Subject with_seed(uint64_t seed) const;
  /// Elsewhere, with a sample that is there.
  Subject with_where(const Where& where, const Sample& sample) const;
  /// With the weights of this file in place of drawn ones.
  Subject with_weights(std::filesystem::path file) const;
  /// With the checkpoints of the run that it comes from, for probes that look at several.
  Subject with_checkpoints(std::vector<Checkpoint> all) const;
  /// The same with another depth; its weights are drawn.
  Subject with_depth(int encoder_layers, int decoder_layers) const;
  Subject with_model(const std::function<void(ModelConfig&)>& change) const;

  const Where& where() const { return where_; }
  const Config& config() const { return config_; }
  const ModelConfig& model() const { return config_.model; }
  const Sample& sample() const { return *sample_; }
  const ProbeBatch& first() const { return sample_->batches.front(); }
  uint64_t seed() const { return seed_; }
  bool trained() const { return weights_.has_value(); }
  const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }

  /// As it is before the first update: Admin's profile is made. Or as the checkpoint has it.
  std::unique_ptr<Transformer> build() const;

  at::Tensor loss(const Transformer& model, const ProbeBatch& batch, const Pass& pass = {}) const {
    return mean_loss(model, batch, config_.train, pass);
  }
  /// Leaves the mean gradient over the mini-batches in the store; gives back the mean loss.
  double mean_gradient(Transformer& model) const;
  /// A pass over the first mini-batch with every tap, without gradients.
  TapRecorder watched_forward(const Transformer& model) const;
  /// A pass over one mini-batch with every tap and its gradient.
  TapRecorder watched_pass(Transformer& model, const ProbeBatch& batch) const;

  /// The depths for probes that vary it: the config's, or a quarter, a half, once and twice the model's.
  std::vector<int> depths() const;
  std::span<const Stack> stacks() const { return config_.model.shape().stacks(); }

 private:
  Config config_;
  Where where_;
  const Sample* sample_;
  uint64_t seed_;
  std::optional<std::filesystem::path> weights_;
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace plumb::probe
