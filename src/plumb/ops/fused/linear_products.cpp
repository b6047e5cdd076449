#include "plumb/ops/fused/linear_products.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {

at::Tensor rows_of_bias(const at::Tensor& x, int64_t width, const at::Tensor& bias) {
  at::Tensor y = at::empty({x.size(0), width}, x.options());
  if (!bias.defined()) return y;
  const float* from = bias.data_ptr<float>();
  auto* to = y.data_ptr<float>();
  for_each_chunk(row_chunks(x.size(0), width), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) std::copy_n(from, width, to + row * width);
  });
  return y;
}

}  // namespace plumb::ops
