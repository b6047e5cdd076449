#include "plumb/ops/unfold.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>

#include "plumb/kernel/gather_rows.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/parallel.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

struct Windows {
  Packed in, out;
  int64_t kernel = 1, stride = 1;

  /// The row of x in each place of each window, or -1. int64 [N', kernel]
  at::Tensor sources() const {
    at::Tensor result = at::empty({out.rows(), kernel}, at::kLong);
    auto* next = result.data_ptr<int64_t>();
    for (int64_t b = 0; b < in.sequences(); ++b) {
      for (int64_t t = 0; t < out.length(b); ++t) {
        for (int64_t k = 0; k < kernel; ++k) {
          const int64_t position = stride * t + k - kernel / 2;
          *next++ = position >= 0 && position < in.length(b) ? in.begin(b) + position : -1;
        }
      }
    }
    return result;
  }

  /// The places that hold each row of x, counted over all windows; -1 behind the last. The order is that of the
  /// windows. int64 [N, most windows that a row is in]
  at::Tensor uses() const {
    const int64_t most = (kernel + stride - 1) / stride;
    at::Tensor result = at::empty({in.rows(), most}, at::kLong);
    auto* next = result.data_ptr<int64_t>();
    for (int64_t b = 0; b < in.sequences(); ++b) {
      for (int64_t position = 0; position < in.length(b); ++position) {
        const int64_t centre = std::max<int64_t>(position - kernel / 2, 0);  // the earliest that a window has
        int64_t t = (centre + stride - 1) / stride;
        for (int64_t i = 0; i < most; ++i, ++t) {
          const int64_t k = position - stride * t + kernel / 2;
          *next++ = k >= 0 && t < out.length(b) ? (out.begin(b) + t) * kernel + k : -1;
        }
      }
    }
    return result;
  }
};

/// Row i of `width` floats of `out` is the sum of those rows of x that row i of `from`, [rows, terms], names.
void gather(const at::Tensor& x, const at::Tensor& from, int64_t terms, int64_t width, const at::Tensor& out) {
  const kernel::GatherRows call{.terms = terms,
                                .width = width,
                                .x = x.data_ptr<float>(),
                                .from = from.data_ptr<int64_t>(),
                                .out = out.data_ptr<float>()};
  for_each_chunk(row_chunks(from.numel() / terms, width),
                 [&](int64_t begin, int64_t end) { kernel::gather_rows(call, begin, end); });
}

// Each row of x collects what came of it, instead of the windows adding to rows that they share.
struct UnfoldBackward : FusedNode {
  Windows windows;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dout = outputs[0].contiguous(), uses = windows.uses();
    const int64_t width = dout.size(1) / windows.kernel;
    at::Tensor dx = at::empty({windows.in.rows(), width}, dout.options());
    gather(dout, uses, uses.size(1), width, dx);
    return {dx};
  }
};

at::Tensor unfold_fused(const at::Tensor& input, const Windows& windows) {
  const at::Tensor x = input.contiguous();
  const int64_t width = x.size(1);
  at::Tensor out = at::empty({windows.out.rows(), windows.kernel * width}, x.options());
  gather(x, windows.sources(), /*terms=*/1, width, out);
  if (wants_gradient(x)) {
    const auto node = make_node<UnfoldBackward>(x);
    node->windows = windows;
    torch::autograd::set_history(out, node);
  }
  return out;
}

/// Linear.
at::Tensor with_tangent(const at::Tensor& x, const Windows& windows) {
  const at::Tensor out = unfold_fused(x, windows);
  if (const at::Tensor tangent = tangent_of(x); tangent.defined()) set_tangent(out, unfold_fused(tangent, windows));
  return out;
}

at::Tensor reference(const at::Tensor& x, const Windows& windows) {
  const at::Tensor with_zeros = at::cat({x, at::zeros({1, x.size(1)}, x.options())});
  const at::Tensor sources = windows.sources(), from = at::where(sources < 0, x.size(0), sources);
  return with_zeros.index_select(0, from.view(-1).to(x.device())).view({windows.out.rows(), -1});
}

}  // namespace

Unfolded unfold(const at::Tensor& x, const Packed& rows, int64_t kernel, int64_t stride) {
  TORCH_CHECK(kernel > 0 && kernel % 2 == 1 && stride > 0, "a window of ", kernel, " rows, moved by ", stride);
  TORCH_CHECK(x.size(0) == rows.rows(), x.size(0), " rows, sequences of ", rows.rows());
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < rows.sequences(); ++b) lengths.push_back(unfolded_length(rows.length(b), stride));
  const Windows windows{rows, Packed(lengths, rows.samples()), kernel, stride};
  if (takes_tangent_path(x)) return {with_tangent(x, windows), windows.out};
  return {takes_fused_path(x) ? unfold_fused(x, windows) : reference(x, windows), windows.out};
}

}  // namespace plumb::ops
