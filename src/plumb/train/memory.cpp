#include "plumb/train/memory.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "plumb/catalogue/special_ids.h"
#include "plumb/memory/libtorch.h"
#include "plumb/nn/transformer.h"
#include "plumb/optim/optimiser.h"
#include "plumb/task/loss.h"

namespace plumb {
namespace {

/// Sees every allocation that ATen makes on this thread, and remembers the highest sum.
class AllocationWatch : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t bytes, libtorch::PoolBytes, libtorch::PoolBytes, c10::Device) override {
    now_ += bytes;
    peak_ = std::max(peak_, now_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  int64_t now_ = 0, peak_ = 0;
};

// Every row of the last stack has a target, or every sequence a class.
TrainingBatch full_batch(const ModelConfig& model, const ops::Packed& rows) {
  const Where where;
  const at::Tensor ids = at::full({rows.rows()}, kUnk, where.options(at::kLong));
  const at::Tensor segments = at::zeros({rows.rows()}, where.options(at::kLong));
  const bool classes = model.head == HeadKind::Classes;
  const at::Tensor targets = classes ? at::zeros({rows.sequences()}, where.options(at::kLong)) : ids;
  const at::Tensor frames =
      model.input == InputKind::Frames ? at::zeros({rows.rows(), model.frame_width}, where.options()) : at::Tensor();
  return {{{ids, rows, segments, frames}, {ids, rows}}, targets};
}

// LibTorch and what it links, before anything is built; it differs by a few MiB from start to start.
constexpr int64_t kProgram = int64_t{160} << 20;

int64_t optimiser_states(const Config& config) {
  ParameterStore one;
  one.declare({"one", {1}, {.value = 0}});
  one.allocate(at::kFloat);
  return std::ssize(make_optimiser(config.optim, one)->state());
}

// int, as ModelConfig has it
struct Layers {
  int encoder, decoder;
};

Config with_layers(Config config, const Layers& layers) {
  config.model.encoder_layers = layers.encoder;
  config.model.decoder_layers = layers.decoder;
  return config;
}

// Linear in the layers of each stack and, at one length, in the sentences: c + s * (a + e * encoder + d * decoder).
double activation_bytes(const Config& config) {
  const int64_t length = std::min<int64_t>(kAssumedLength, config.model.max_positions);
  const double wanted = static_cast<double>(config.train.max_tokens) / static_cast<double>(length);
  const auto measured = [&](const Layers& layers, int64_t sentences) {
    return static_cast<double>(measured_activations(with_layers(config, layers), sentences, length));
  };
  constexpr int64_t kFew = 2, kMore = 6;
  const auto at_wanted = [&](const Layers& layers) {
    const double few = measured(layers, kFew), per_sentence = (measured(layers, kMore) - few) / (kMore - kFew);
    return few + (wanted - kFew) * per_sentence;
  };
  const auto beyond = [](int layers) { return layers > 1 ? layers - 1 : 0; };
  const int encoder = config.model.encoder_layers, decoder = config.model.decoder_layers;
  const Layers least{std::min(encoder, 1), std::min(decoder, 1)};
  const double base = at_wanted(least);
  double total = base;
  if (encoder > 1) total += beyond(encoder) * (at_wanted({2, least.decoder}) - base);
  if (decoder > 1) total += beyond(decoder) * (at_wanted({least.encoder, 2}) - base);
  return total;
}

}  // namespace

int64_t measured_activations(const Config& config, int64_t sentences, int64_t length) {
  Transformer model(config.model, /*seed=*/1);
  const ops::Packed rows(std::vector<int64_t>(static_cast<size_t>(sentences), length));
  const TrainingBatch batch = full_batch(config.model, rows);
  const auto watch = std::make_shared<AllocationWatch>();
  {
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, watch);
    losses(model, batch, config.train, {.training = true, .seed = 1, .step = 1, .recompute = config.train.recompute})
        .smoothed.backward();
  }
  return watch->peak();
}

StepMemory predict_state(const Config& config) {
  StepMemory memory{.program = kProgram};
  const Transformer counted(config.model);
  memory.weights = memory.gradients = counted.parameters().parameter_count() * static_cast<int64_t>(sizeof(float));
  memory.optimiser = optimiser_states(config) * memory.weights;
  return memory;
}

StepMemory predict_memory(const Config& config) {
  StepMemory memory = predict_state(config);
  memory.activations = static_cast<int64_t>(activation_bytes(config));
  return memory;
}

}  // namespace plumb
