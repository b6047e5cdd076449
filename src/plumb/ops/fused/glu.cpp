#include "plumb/ops/fused/glu.h"

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/glu.h"
#include "plumb/ops/fused/column_sums.h"
#include "plumb/ops/fused/fused_node.h"

namespace plumb::ops {
namespace {

struct GluBackward : FusedNode {
  at::Tensor in, bias;

  variable_list backward(const variable_list& outputs) override {
    const PartScope scope(StepPart::Activation);
    const at::Tensor dout = outputs[0].contiguous();
    const int64_t width = dout.size(1);
    at::Tensor din = at::empty_like(in);
    const ParameterGradient dbias(bias, task_should_compute_output(1));
    const RowChunks chunks = row_chunks(dout.size(0), 2 * width);
    const ChunkSums sums(chunks, 2 * width);
    const kernel::GluBackward call{.bias = data_or_null(bias),
                                   .width = width,
                                   .in = in.data_ptr<float>(),
                                   .dout = dout.data_ptr<float>(),
                                   .din = din.data_ptr<float>()};
    for_each_piece(chunks.count(), [&](int64_t chunk) {
      kernel::GluBackward one = call;
      if (dbias) one.dbias = sums.of_chunk(chunk);
      kernel::glu_backward(one, chunks.begin(chunk), chunks.end(chunk));
    });
    if (dbias) sums.add_to(dbias.data(), 0, 2 * width);
    return {din, dbias.for_autograd()};
  }

  void release_variables() override { in.reset(), bias.reset(); }
};

}  // namespace

at::Tensor glu_fused(const at::Tensor& input, const at::Tensor& bias) {
  const PartScope scope(StepPart::Activation);
  const at::Tensor in = input.contiguous();
  const int64_t width = in.size(1) / 2;
  at::Tensor out = at::empty({in.size(0), width}, in.options());
  const kernel::GluForward call{
      .bias = data_or_null(bias), .width = width, .in = in.data_ptr<float>(), .out = out.data_ptr<float>()};
  for_each_chunk(row_chunks(in.size(0), 2 * width),
                 [&](int64_t begin, int64_t end) { kernel::glu_forward(call, begin, end); });
  if (wants_gradient(in, bias)) {
    const auto node = make_node<GluBackward>(in, bias);
    node->in = in;
    node->bias = bias;
    torch::autograd::set_history(out, node);
  }
  return out;
}

}  // namespace plumb::ops
