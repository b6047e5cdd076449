#include "plumb/optim/clip.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include "plumb/kernel/adam.h"

namespace plumb {
namespace {

constexpr int64_t kNormStretch = 16384;

double sum_of_squares(const float* x, int64_t count) {
  return kernel::sum_of_squares(x, 0, count);
}

double sum_of_squares(const double* x, int64_t count) {
  return std::inner_product(x, x + count, x, 0.0);
}

}  // namespace

double gradient_norm(const at::Tensor& flat) {
  TORCH_CHECK(flat.is_contiguous() && flat.device().is_cpu(), "gradient_norm reads a contiguous buffer of the CPU");
  const int64_t size = flat.numel();
  // One sum per stretch, whichever thread makes it, and then one after the other.
  std::vector<double> sums(static_cast<size_t>((size + kNormStretch - 1) / kNormStretch));
  AT_DISPATCH_FLOATING_TYPES(flat.scalar_type(), "gradient_norm", [&] {
    const scalar_t* data = flat.data_ptr<scalar_t>();
    at::parallel_for(0, static_cast<int64_t>(sums.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i * kNormStretch;
        sums[static_cast<size_t>(i)] = sum_of_squares(data + at, std::min(kNormStretch, size - at));
      }
    });
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return std::sqrt(sum);
}

double clip_factor(double norm, double max_norm) {
  const double factor = max_norm / (norm + 1e-6);
  return max_norm > 0 && std::isfinite(norm) && factor < 1 ? factor : 1;
}

}  // namespace plumb
