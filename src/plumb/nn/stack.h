#pragma once

#include <memory>
#include <vector>

#include "plumb/nn/layer.h"

namespace plumb {

/// The layers of an encoder or a decoder, with what flows between them and what stands at their end.
class LayerStack {
 public:
  LayerStack(ParameterStore& store, const ModelConfig& model, const StackPlan& plan);

  at::Tensor operator()(const at::Tensor& x0, const ops::Packed& rows, const Memory& memory, const Pass& pass) const;

  /// From 0.
  const Layer& layer(int index) const { return layers_.at(static_cast<size_t>(index)); }
  const Wiring& wiring() const { return *wiring_; }

  /// A cache for each layer, with the memory in it.
  std::vector<LayerCache> remember(const Memory& memory) const;
  /// One more position for every row of x0, each a sequence of its own.
  at::Tensor step(const at::Tensor& x0, const StepContext& context, std::vector<LayerCache>& caches) const;

 private:
  Stack stack_;
  std::vector<Layer> layers_;
  std::unique_ptr<Wiring> wiring_;
};

}  // namespace plumb
