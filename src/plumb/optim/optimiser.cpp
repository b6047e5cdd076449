#include "plumb/optim/optimiser.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/step_timer.h"
#include "plumb/ops/path.h"
#include "plumb/optim/adam.h"
#include "plumb/optim/radam.h"
#include "plumb/optim/sgd.h"

namespace plumb {
namespace {

// Few enough that five buffers of doubles fit the second-level cache and that ATen does not split them among threads;
// a multiple of every SIMD width, so that an element is always computed by the same instructions.
constexpr int64_t kStretch = 16384;

template <class T>
std::unique_ptr<Optimiser> make(const OptimConfig& config, const ParameterStore& store) {
  return std::make_unique<T>(config, store);
}

struct OptimiserBinding {
  std::string_view name;
  std::unique_ptr<Optimiser> (*make)(const OptimConfig& config, const ParameterStore& store);
};
constexpr OptimiserBinding kOptimiserBindings[] = {
    {"sgd", make<Sgd>}, {"adam", make<Adam>}, {"adamw", make<Adam>}, {"radam", make<Radam>}};

}  // namespace

std::unique_ptr<Optimiser> make_optimiser(const OptimConfig& config, const ParameterStore& store) {
  const auto binding = std::ranges::find(kOptimiserBindings, config.name, &OptimiserBinding::name);
  TORCH_CHECK(binding != std::end(kOptimiserBindings), "no optimiser is called ", config.name);
  return binding->make(config, store);
}

Optimiser::Optimiser(const OptimConfig& config, const ParameterStore& store, const std::vector<std::string_view>& state)
    : config_(config), values_(store.values()), gradients_(store.gradients()) {
  TORCH_CHECK(values_.defined(), "an optimiser was made before its store was allocated");
  for (const std::string_view name : state) state_.push_back({std::string(name), at::zeros_like(values_)});
}

Optimiser::Stretch Optimiser::stretch(int64_t begin, int64_t count) const {
  Stretch s{.p = values_.narrow(0, begin, count), .g = gradients_.narrow(0, begin, count), .state = {}};
  for (const State& one : state_) s.state.push_back(one.values.narrow(0, begin, count));
  return s;
}

bool Optimiser::fused() const {
  return ops::takes_fused_path(values_);
}

void Optimiser::step(double lr, double gradient_scale) {
  const PartScope scope(StepPart::Optimiser);
  const Update update = this->update(lr, ++steps_, gradient_scale);
  const bool whole = scales_and_decays(), decays = config_.weight_decay != 0 && !whole;
  const int64_t size = values_.numel();
  // Only threads of the CPU share the work, and only its cache has a size to keep to.
  const int64_t length = values_.device().is_cpu() ? kStretch : size, stretches = (size + length - 1) / length;
  at::parallel_for(0, stretches, 1, [&](int64_t begin, int64_t end) {
    const at::NoGradGuard no_grad;  // of this thread
    for (int64_t i = begin; i < end; ++i) {
      Stretch s = stretch(i * length, std::min(length, size - i * length));
      if (gradient_scale != 1 && !whole) s.g = s.g * gradient_scale;
      if (decays && config_.decay == Decay::L2) s.g = at::add(s.g, s.p, config_.weight_decay);
      if (decays && config_.decay == Decay::Decoupled) s.p.add_(s.p, -lr * config_.weight_decay);
      update(s);
    }
  });
}

void Optimiser::load_state(int64_t steps, const std::vector<State>& state) {
  constexpr char kRemedy[] = "Resume with the configuration that the checkpoint was made with";
  const auto named = [&](const std::string& name) {
    return std::ranges::find(state, name, [](const State& one) { return one.name; });
  };
  if (steps < 0) throw UserError("optimiser state", fmt::format("{} updates were made", steps), kRemedy);
  for (const State& own : state_) {
    const auto found = named(own.name);
    if (found == state.end()) {
      throw UserError("optimiser state", fmt::format("{} is missing, which {} needs", own.name, config_.name), kRemedy);
    }
    if (!found->values.defined() || found->values.sizes() != own.values.sizes() ||
        found->values.scalar_type() != own.values.scalar_type()) {
      throw UserError("optimiser state", own.name + " has another size or type than the model", kRemedy);
    }
  }
  if (state.size() != state_.size()) {
    throw UserError("optimiser state", fmt::format("it has tensors that {} does not know", config_.name), kRemedy);
  }
  const at::NoGradGuard no_grad;
  for (const State& own : state_) own.values.copy_(named(own.name)->values);
  steps_ = steps;
}

}  // namespace plumb
