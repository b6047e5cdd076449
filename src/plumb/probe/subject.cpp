#include "plumb/probe/subject.h"

#include <algorithm>
#include <set>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/checkpoint/load_model.h"

namespace plumb::probe {

Subject Subject::with_seed(uint64_t seed) const {
  Subject result = *this;
  result.seed_ = seed;
  return result;
}

Subject Subject::with_where(const Where& where, const Sample& sample) const {
  Subject result = *this;
  result.where_ = where;
  result.sample_ = &sample;
  return result;
}

Subject Subject::with_weights(std::filesystem::path file) const {
  Subject result = *this;
  result.weights_ = std::move(file);
  return result;
}

Subject Subject::with_checkpoints(std::vector<Checkpoint> all) const {
  Subject result = *this;
  result.checkpoints_ = std::move(all);
  return result;
}

Subject Subject::with_depth(int encoder_layers, int decoder_layers) const {
  return with_model([&](ModelConfig& model) {
    model.encoder_layers = encoder_layers;
    model.decoder_layers = decoder_layers;
  });
}

Subject Subject::with_model(const std::function<void(ModelConfig&)>& change) const {
  Subject result = *this;
  result.weights_.reset();
  change(result.config_.model);
  return result;
}

std::unique_ptr<Transformer> Subject::build() const {
  auto model = std::make_unique<Transformer>(config_.model, seed_, where_);
  if (weights_) {
    load_model(model->parameters(), *weights_);
  } else {
    model->profile(first().inputs, model->pass());
  }
  return model;
}

double Subject::mean_gradient(Transformer& model) const {
  ParameterStore& store = model.parameters();
  store.zero_gradients();
  const auto count = static_cast<double>(sample_->batches.size());
  double total = 0;
  for (const ProbeBatch& batch : sample_->batches) {
    const at::Tensor part = loss(model, batch) / count;
    part.backward();
    total += part.item<double>();
  }
  return total;
}

TapRecorder Subject::watched_forward(const Transformer& model) const {
  at::NoGradGuard no_grad;
  TapRecorder taps;
  Pass pass = model.pass();
  pass.observer = &taps;
  model.features(first().inputs, pass);
  return taps;
}

TapRecorder Subject::watched_pass(Transformer& model, const ProbeBatch& batch) const {
  TapRecorder taps;
  model.parameters().zero_gradients();
  loss(model, batch, {.observer = &taps}).backward();
  return taps;
}

std::vector<int> Subject::depths() const {
  if (!config_.probe.depths.empty()) return config_.probe.depths;
  const Shape shape = config_.model.shape();
  int deepest = 0;
  for (Stack stack : stacks()) deepest = std::max(deepest, shape.layers(stack));
  std::set<int> depths;
  for (double factor : {0.25, 0.5, 1.0, 2.0}) depths.insert(std::max(1, static_cast<int>(deepest * factor)));
  return {depths.begin(), depths.end()};
}

}  // namespace plumb::probe
