#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/ops/fused/gemm.h"

namespace plumb::ops {

/// Room for what comes of the rows of x, [N, width]: with the bias in every row, or if that is undefined, with
/// anything.
at::Tensor rows_of_bias(const at::Tensor& x, int64_t width, const at::Tensor& bias);

// The three products of a projection by W [O, I], all tensors contiguous floats.

/// y = x W^T + beta y
inline Product forward_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& y, float beta) {
  const int64_t in = weight.size(1), out = weight.size(0);
  return {.m = x.size(0),
          .n = out,
          .k = in,
          .a = {x.data_ptr<float>(), in},
          .b = {weight.data_ptr<float>(), in, /*transposed=*/true, /*lasting=*/true},
          .beta = beta,
          .c = y.data_ptr<float>(),
          .c_stride = out};
}

/// dx = dy W + beta dx
inline Product input_product(const at::Tensor& dy, const at::Tensor& weight, const at::Tensor& dx, float beta) {
  const int64_t in = weight.size(1), out = weight.size(0);
  return {.m = dy.size(0),
          .n = in,
          .k = out,
          .a = {dy.data_ptr<float>(), out},
          .b = {weight.data_ptr<float>(), in, /*transposed=*/false, /*lasting=*/true},
          .beta = beta,
          .c = dx.data_ptr<float>(),
          .c_stride = in};
}

/// dW += dy^T x
inline Product weight_product(const at::Tensor& dy, const at::Tensor& x, float* dw) {
  const int64_t in = x.size(1), out = dy.size(1);
  return {.m = out,
          .n = in,
          .k = x.size(0),
          .a = {dy.data_ptr<float>(), out, /*transposed=*/true},
          .b = {x.data_ptr<float>(), in},
          .beta = 1,
          .c = dw,
          .c_stride = in};
}

}  // namespace plumb::ops
