#include "plumb/optim/clip.h"

#include <cmath>
#include <vector>

#include <ATen/ATen.h>

#include "plumb/memory/where.h"
#include "plumb/ops/fused/flat_buffers.h"
#include "plumb/ops/path.h"

namespace plumb {
namespace {

constexpr int64_t kNormStretch = 16384;  // few enough that ATen sums them up on one thread

/// One sum per stretch, then one after the other: the order of the sum does not depend on the number of threads.
double reference_sum_of_squares(const at::Tensor& flat) {
  const at::Tensor squares = flat.to(at::kDouble).square();
  const int64_t size = flat.numel(), whole = size / kNormStretch * kNormStretch;
  double sum = 0;
  for (const double part : numbers_of<double>(squares.narrow(0, 0, whole).view({-1, kNormStretch}).sum(1))) sum += part;
  return sum + squares.narrow(0, whole, size - whole).sum().item<double>();
}

}  // namespace

double gradient_norm(const at::Tensor& flat) {
  TORCH_CHECK(flat.is_contiguous() && flat.is_floating_point(), "gradient_norm reads a contiguous buffer of floats");
  return std::sqrt(ops::takes_fused_path(flat) ? ops::sum_of_squares(flat) : reference_sum_of_squares(flat));
}

double clip_factor(double norm, double max_norm) {
  const double factor = max_norm / (norm + 1e-6);
  return max_norm > 0 && std::isfinite(norm) && factor < 1 ? factor : 1;
}

}  // namespace plumb
