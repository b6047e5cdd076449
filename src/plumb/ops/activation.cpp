#include "plumb/ops/activation.h"

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/bias_activation.h"
#include "plumb/ops/fused/column_sums.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

struct BiasActivationBackward : FusedNode {
  Activation activation{};
  at::Tensor saved, bias;  // relu: its own output; gelu: its input
  Packed rows;
  Dropout dropout;

  variable_list backward(const variable_list& outputs) override {
    const PartScope scope(StepPart::Activation);
    const at::Tensor dh = outputs[0].contiguous();
    const int64_t width = dh.size(1);
    at::Tensor din = at::empty_like(dh);
    const ParameterGradient dbias(bias, task_should_compute_output(1));
    const kernel::DropoutKey key = dropout_key(dropout);
    const RowChunks chunks = row_chunks(dh.size(0), width);
    const ChunkSums sums(chunks, width);
    const kernel::BiasActivationBackward call{.activation = activation,
                                              .bias = data_or_null(bias),
                                              .dropout = dropout.active() ? &key : nullptr,
                                              .names = rows.row_names(),
                                              .width = width,
                                              .saved = saved.data_ptr<float>(),
                                              .dh = dh.data_ptr<float>(),
                                              .din = din.data_ptr<float>()};
    for_each_piece(chunks.count(), [&](int64_t chunk) {
      kernel::BiasActivationBackward one = call;
      if (dbias) one.dbias = sums.of_chunk(chunk);
      kernel::bias_activation_backward(one, chunks.begin(chunk), chunks.end(chunk));
    });
    if (dbias) sums.add_to(dbias.data(), 0, width);
    return {din, dbias.for_autograd()};
  }

  void release_variables() override { saved.reset(), bias.reset(); }
};

at::Tensor bias_activation_fused(Activation activation, const at::Tensor& input, const at::Tensor& bias,
                                 const Packed& rows, const Dropout& dropout) {
  const PartScope scope(StepPart::Activation);
  const at::Tensor in = input.contiguous();
  const int64_t width = in.size(1);
  at::Tensor h = at::empty_like(in);
  const kernel::DropoutKey key = dropout_key(dropout);
  const kernel::BiasActivationForward call{.activation = activation,
                                           .bias = data_or_null(bias),
                                           .dropout = dropout.active() ? &key : nullptr,
                                           .names = rows.row_names(),
                                           .width = width,
                                           .in = in.data_ptr<float>(),
                                           .h = h.data_ptr<float>()};
  for_each_chunk(row_chunks(in.size(0), width),
                 [&](int64_t begin, int64_t end) { kernel::bias_activation_forward(call, begin, end); });
  if (wants_gradient(in, bias)) {
    const auto node = make_node<BiasActivationBackward>(in, bias);
    node->activation = activation;
    node->saved = activation == Activation::Relu ? detached(h) : in;
    node->bias = bias;
    node->rows = rows;
    node->dropout = dropout;
    torch::autograd::set_history(h, node);
  }
  return h;
}

/// ReLU and dropout are factors, which the tangent has too: h is above zero where neither is zero.
at::Tensor relu_with_tangent(const at::Tensor& in, const at::Tensor& bias, const Packed& rows, const Dropout& dropout) {
  const at::Tensor h = bias_activation_fused(Activation::Relu, in, bias, rows, dropout);
  at::Tensor tangent = full_tangent_of(in);
  if (const at::Tensor shift = tangent_of(bias); shift.defined()) tangent = tangent + shift;
  if (dropout.active()) tangent = tangent / (1 - dropout.p);
  set_tangent(h, at::threshold_backward(tangent, h.detach(), 0));
  return h;
}

}  // namespace

at::Tensor activate(Activation activation, const at::Tensor& x) {
  return activation == Activation::Relu ? at::relu(x) : at::gelu(x);
}

at::Tensor bias_activation(Activation activation, const at::Tensor& in, const at::Tensor& bias, const Packed& rows,
                           const Dropout& dropout) {
  if (takes_tangent_path(in) && activation == Activation::Relu) return relu_with_tangent(in, bias, rows, dropout);
  if (takes_fused_path(in)) return bias_activation_fused(activation, in, bias, rows, dropout);
  return ops::dropout(activate(activation, bias.defined() ? in + bias : in), rows, dropout);
}

}  // namespace plumb::ops
