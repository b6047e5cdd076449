#include "plumb/ops/fused/weighted_sum.h"

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/weighted_sum.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {
namespace {

constexpr int64_t kElements = 32768;  // of a chunk

struct WeightedSumBackward : FusedNode {
  std::vector<at::Tensor> parts;
  at::Tensor weights;

  variable_list backward(const variable_list& outputs) override {
    const PartScope scope(StepPart::Residual);
    const at::Tensor dout = outputs[0].contiguous();
    const auto* slope = dout.data_ptr<float>();
    const RowChunks chunks{dout.numel(), kElements};
    const size_t count = parts.size();
    variable_list gradients(count + 1);
    at::Tensor dweights = at::empty({std::ssize(parts)}, weights.options());
    for (size_t k = 0; k < count; ++k) {
      if (task_should_compute_output(k)) gradients[k] = at::empty_like(dout);
      float* room = gradients[k].defined() ? gradients[k].data_ptr<float>() : nullptr;
      std::vector<double> sums(static_cast<size_t>(chunks.count()));
      for_each_piece(chunks.count(), [&](int64_t chunk) {
        sums[static_cast<size_t>(chunk)] =
            kernel::weighted_sum_backward(parts[k].data_ptr<float>(), weights.data_ptr<float>()[k], slope, room,
                                          chunks.begin(chunk), chunks.end(chunk));
      });
      double total = 0;
      for (double sum : sums) total += sum;
      dweights.data_ptr<float>()[k] = static_cast<float>(total);
    }
    if (task_should_compute_output(count)) gradients[count] = given_to(weights, dweights, 1);
    return gradients;
  }

  void release_variables() override { parts.clear(), weights.reset(); }
};

}  // namespace

at::Tensor weighted_sum_fused(const std::vector<at::Tensor>& inputs, const at::Tensor& weights) {
  const PartScope scope(StepPart::Residual);
  std::vector<at::Tensor> parts;
  std::vector<const float*> data;
  for (const at::Tensor& input : inputs) {
    parts.push_back(input.contiguous());
    data.push_back(parts.back().data_ptr<float>());
  }
  at::Tensor out = at::empty_like(parts.front());
  for_each_chunk({out.numel(), kElements}, [&](int64_t begin, int64_t end) {
    kernel::weighted_sum(data.data(), weights.data_ptr<float>(), std::ssize(data), out.data_ptr<float>(), begin, end);
  });
  if (wants_gradient(at::TensorList(parts), weights)) {
    const auto node = make_node<WeightedSumBackward>(at::TensorList(parts), weights);
    node->parts = parts;
    node->weights = weights;
    torch::autograd::set_history(out, node);
  }
  return out;
}

}  // namespace plumb::ops
