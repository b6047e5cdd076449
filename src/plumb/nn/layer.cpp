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

at::Tensor Layer::operator()(const at::Tensor& input, const ops::Packed& rows, const Memory& memory, Flow& flow,
                             const Pass& pass) const {
  at::Tensor x = self_residual_(
      input, input, rows, [&](const at::Tensor& u) { return self_attention_.self(u, rows, pass); }, flow, pass);
  if (cross_) {
    x = cross_->residual(
        x, input, rows,
        [&](const at::Tensor& u) { return cross_->attention.cross(u, rows, memory.states, *memory.rows, pass); }, flow,
        pass);
  }
  return ffn_residual_(
      x, input, rows, [&](const at::Tensor& u) { return ffn_(u, rows, pass); }, flow, pass);
}

}  // namespace plumb
