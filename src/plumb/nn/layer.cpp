#include "plumb/nn/layer.h"

namespace plumb {

Layer::Layer(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, int index)
    : scalar_(declare_layer_scalar(store, plan, index)),
      self_residual_(store, plan, Sublayer::SelfAttention, index, model.dropout, scalar_),
      self_attention_(store, plan, Sublayer::SelfAttention, index, model.attention_dropout, model.qk_norm_length),
      cross_(make_cross(store, model, plan, index, scalar_)),
      ffn_residual_(store, plan, Sublayer::FeedForward, index, model.dropout, scalar_),
      ffn_(store, plan, index, model.activation, model.activation_dropout) {}

std::optional<Layer::CrossAttention> Layer::make_cross(ParameterStore& store, const ModelConfig& model,
                                                       const StackPlan& plan, int index, Parameter scalar) {
  if (!plan.shape.cross_attention(plan.stack)) return std::nullopt;
  const Sublayer kind = Sublayer::CrossAttention;
  // The braces make the residual's parameters come first, as in the other sub-layers.
  return CrossAttention{Residual(store, plan, kind, index, model.dropout, scalar),
                        Attention(store, plan, kind, index, model.attention_dropout, model.qk_norm_length)};
}

at::Tensor Layer::run(const at::Tensor& input, const ops::Packed& rows, const Branch& self, const Branch& cross,
                      Flow& flow, const Pass& pass) const {
  at::Tensor x = self_residual_(input, input, rows, self, flow, pass);
  if (cross_) x = cross_->residual(x, input, rows, cross, flow, pass);
  return ffn_residual_(
      x, input, rows, [&](const at::Tensor& u) { return ffn_(u, rows, pass); }, flow, pass);
}

at::Tensor Layer::operator()(const at::Tensor& input, const ops::Packed& rows, const Memory& memory, Flow& flow,
                             const Pass& pass) const {
  const auto self = [&](const at::Tensor& u) { return self_attention_.self(u, rows, pass); };
  const auto cross = [&](const at::Tensor& u) {
    return cross_->attention.cross(u, rows, memory.states, *memory.rows, pass);
  };
  return run(input, rows, self, cross, flow, pass);
}

const Residual& Layer::residual(Sublayer sublayer) const {
  switch (sublayer) {
    case Sublayer::SelfAttention:
      return self_residual_;
    case Sublayer::CrossAttention:
      return cross_.value().residual;
    case Sublayer::FeedForward:
      break;
  }
  return ffn_residual_;
}

void Layer::remember(const Memory& memory, LayerCache& cache) const {
  if (cross_) cache.memory = cross_->attention.remember(memory.states);
}

at::Tensor Layer::step(const at::Tensor& input, const StepContext& context, LayerCache& cache, Flow& flow) const {
  const auto self = [&](const at::Tensor& u) { return self_attention_.self_step(u, cache.self, context.ancestry); };
  const auto cross = [&](const at::Tensor& u) {
    return cross_->attention.cross_step(u, cache.memory, context.readers);
  };
  return run(input, context.rows, self, cross, flow, {});
}

}  // namespace plumb
