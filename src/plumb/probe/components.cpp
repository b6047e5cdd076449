#include "plumb/probe/components.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace plumb::probe {

void walk_components(const Transformer& model, Stack stack, const TapRecorder& taps, const SeeComponents& see) {
  at::NoGradGuard no_grad;
  const LayerStack& layers = model.stack(stack);
  const Shape shape = model.config().shape();
  const at::Tensor& embedding = taps.value(Tap{stack, Tap::Point::Embed}.name());
  const std::unique_ptr<Flow> flow =
      layers.wiring().start(at::stack({at::zeros_like(embedding), embedding}), components_algebra());
  for (int layer = 0; layer < shape.layers(stack); ++layer) {
    const at::Tensor bottom = flow->enter(layer);
    at::Tensor x = bottom;
    for (Sublayer sublayer : shape.order(stack)) {
      const at::Tensor& branch = taps.value(Tap{stack, Tap::Point::Branch, layer, sublayer}.name());
      x = layers.layer(layer).residual(sublayer).of_components(x, bottom, branch);
      see({stack, Tap::Point::Out, layer, sublayer}, x);
    }
    flow->leave(layer, x);
  }
}

}  // namespace plumb::probe
