#include "plumb/nn/stack.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/nn/recompute.h"
#include "plumb/ops/tangent.h"

namespace plumb {
namespace {

/// For a layer whose branches nobody wants to see.
class NoFlow : public Flow {
 public:
  at::Tensor enter(int) override { return {}; }
  void leave(int, const at::Tensor&) override {}
  at::Tensor out() override { return {}; }
};

at::Tensor computed_twice(const Layer& layer, const at::Tensor& x, const ops::Packed& rows, const Memory& memory,
                          const Pass& pass) {
  const auto memory_rows = memory.rows ? *memory.rows : ops::Packed();
  return recomputed(
      [&layer, rows, memory_rows, pass](const at::Tensor& own_x, const at::Tensor& own_memory) {
        NoFlow flow;
        return layer(own_x, rows, {own_memory, &memory_rows}, flow, pass);
      },
      x, memory.states);
}

}  // namespace

LayerStack::LayerStack(ParameterStore& store, const ModelConfig& model, const StackPlan& plan) : stack_(plan.stack) {
  const int depth = plan.shape.layers(plan.stack);
  layers_.reserve(static_cast<size_t>(depth));
  for (int index = 0; index < depth; ++index) layers_.emplace_back(store, model, plan, index);
  wiring_ = make_wiring(store, plan);
}

at::Tensor LayerStack::operator()(const at::Tensor& x0, const ops::Packed& rows, const Memory& memory,
                                  const Pass& pass) const {
  const std::unique_ptr<Flow> flow = wiring_->start(x0);
  const bool watched = pass.observer || pass.profile || flow->sees_branches();
  const bool again = pass.recompute && at::GradMode::is_enabled() && !watched && !ops::carries_tangents();
  for (size_t i = 0; i < layers_.size(); ++i) {
    const int index = static_cast<int>(i);
    const at::Tensor x = flow->enter(index);
    flow->leave(index,
                again ? computed_twice(layers_[i], x, rows, memory, pass) : layers_[i](x, rows, memory, *flow, pass));
  }
  at::Tensor out = flow->out();
  if (pass.observer) pass.observer->see({.stack = stack_, .point = Tap::Point::Out}, out);
  return out;
}

std::vector<LayerCache> LayerStack::remember(const Memory& memory) const {
  std::vector<LayerCache> caches(layers_.size());
  for (size_t i = 0; i < layers_.size(); ++i) layers_[i].remember(memory, caches[i]);
  return caches;
}

at::Tensor LayerStack::step(const at::Tensor& x0, const StepContext& context, std::vector<LayerCache>& caches) const {
  const std::unique_ptr<Flow> flow = wiring_->start(x0);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const int index = static_cast<int>(i);
    flow->leave(index, layers_[i].step(flow->enter(index), context, caches[i], *flow));
  }
  return flow->out();
}

}  // namespace plumb
