#include "plumb/ops/unfold.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/unfold.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent/unfold.h"

namespace plumb::ops {
namespace {

at::Tensor reference(const at::Tensor& x, const Windows& windows) {
  const at::Tensor with_zeros = at::cat({x, at::zeros({1, x.size(1)}, x.options())});
  const at::Tensor sources = Where(x).of(windows.sources()), from = at::where(sources < 0, x.size(0), sources);
  return with_zeros.index_select(0, from).view({windows.out.rows(), -1});
}

}  // namespace

std::vector<int64_t> Windows::sources() const {
  std::vector<int64_t> result;
  result.reserve(static_cast<size_t>(out.rows() * kernel));
  for (int64_t b = 0; b < in.sequences(); ++b) {
    for (int64_t t = 0; t < out.length(b); ++t) {
      for (int64_t k = 0; k < kernel; ++k) {
        const int64_t position = stride * t + k - kernel / 2;
        result.push_back(position >= 0 && position < in.length(b) ? in.begin(b) + position : -1);
      }
    }
  }
  return result;
}

Unfolded unfold(const at::Tensor& x, const Packed& rows, int64_t kernel, int64_t stride) {
  TORCH_CHECK(kernel > 0 && kernel % 2 == 1 && stride > 0, "a window of ", kernel, " rows, moved by ", stride);
  TORCH_CHECK(x.size(0) == rows.rows(), x.size(0), " rows, sequences of ", rows.rows());
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < rows.sequences(); ++b) lengths.push_back(unfolded_length(rows.length(b), stride));
  const Windows windows{rows, Packed(lengths, rows.samples()), kernel, stride};
  if (takes_tangent_path(x)) return {unfold_with_tangent(x, windows), windows.out};
  return {takes_fused_path(x) ? unfold_fused(x, windows) : reference(x, windows), windows.out};
}

}  // namespace plumb::ops
