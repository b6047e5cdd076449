#include "plumb/store/draw.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/base/random_stream.h"
#include "plumb/memory/where.h"

namespace plumb {
namespace {

double truncated_normal(RandomStream& random) {
  double x;
  do {
    x = random.normal();
  } while (std::abs(x) > 3);
  return x;
}

double draw_one(RandomStream& random, const Fill& fill) {
  switch (fill.kind) {
    case Fill::Kind::Constant:
      return fill.value;
    case Fill::Kind::Uniform:
      return fill.value * (2 * random.uniform() - 1);
    case Fill::Kind::Normal:
      return fill.value * random.normal();
    case Fill::Kind::TruncatedNormal:
      return fill.value * truncated_normal(random);
  }
  return 0;
}

}  // namespace

void draw_values(at::Tensor into, const Fill& fill, uint64_t seed, std::string_view stream) {
  at::NoGradGuard no_grad;
  RandomStream random(seed, stream);
  at::Tensor drawn = at::empty(into.sizes(), Where(at::kDouble).options());
  for (double& value : cpu_numbers<double>(drawn)) value = draw_one(random, fill);
  if (fill.mirror != Fill::Mirror::None) {
    const int64_t axis = fill.mirror == Fill::Mirror::Rows ? 0 : 1;
    const int64_t half = drawn.size(axis) / 2;
    drawn.narrow(axis, half, half).copy_(-drawn.narrow(axis, 0, half));
  }
  into.copy_(drawn);
}

}  // namespace plumb
