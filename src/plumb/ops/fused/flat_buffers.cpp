#include "plumb/ops/fused/flat_buffers.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace plumb::ops {
namespace {

constexpr int64_t kSquaresAtOnce = 16384;

}  // namespace

void adam_update(const kernel::AdamStep& step, const at::Tensor& p, const at::Tensor& g, const at::Tensor& m,
                 const at::Tensor& v) {
  kernel::adam_update(step, p.data_ptr<float>(), g.data_ptr<float>(), m.data_ptr<float>(), v.data_ptr<float>(), 0,
                      p.numel());
}

double sum_of_squares(const at::Tensor& flat) {
  TORCH_CHECK(flat.is_contiguous() && flat.device().is_cpu(), "the kernel sums a contiguous buffer of the CPU");
  const int64_t size = flat.numel();
  const auto* data = flat.data_ptr<float>();
  // One sum per stretch, whichever thread makes it, and then one after the other.
  std::vector<double> sums(static_cast<size_t>((size + kSquaresAtOnce - 1) / kSquaresAtOnce));
  at::parallel_for(0, static_cast<int64_t>(sums.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i * kSquaresAtOnce;
      sums[static_cast<size_t>(i)] = kernel::sum_of_squares(data, at, std::min(at + kSquaresAtOnce, size));
    }
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace plumb::ops
