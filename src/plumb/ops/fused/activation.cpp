#include "plumb/ops/fused/activation.h"

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/bias_activation.h"
#include "plumb/ops/fused/column_sums.h"
#include "plumb/ops/fused/dropout.h"
#include "plumb/ops/fused/fused_node.h"

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

}  // namespace

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

}  // namespace plumb::ops
