#include "plumb/ops/fused/unfold.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>

#include "plumb/kernel/gather_rows.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {
namespace {

/// The most windows that a row of x is in.
int64_t most_uses(const Windows& w) {
  return (w.kernel + w.stride - 1) / w.stride;
}

/// The places that hold each row of x, counted over all windows; -1 behind the last. The order is that of the windows.
/// [N, most_uses()]
std::vector<int64_t> uses(const Windows& w) {
  std::vector<int64_t> result;
  result.reserve(static_cast<size_t>(w.in.rows() * most_uses(w)));
  for (int64_t b = 0; b < w.in.sequences(); ++b) {
    for (int64_t position = 0; position < w.in.length(b); ++position) {
      const int64_t centre = std::max<int64_t>(position - w.kernel / 2, 0);  // the earliest that a window has
      int64_t t = (centre + w.stride - 1) / w.stride;
      for (int64_t i = 0; i < most_uses(w); ++i, ++t) {
        const int64_t k = position - w.stride * t + w.kernel / 2;
        result.push_back(k >= 0 && t < w.out.length(b) ? (w.out.begin(b) + t) * w.kernel + k : -1);
      }
    }
  }
  return result;
}

/// Row i of `width` floats of `out` is the sum of those rows of x that row i of `from`, [rows, terms], names.
void gather(const at::Tensor& x, const std::vector<int64_t>& from, int64_t terms, int64_t width,
            const at::Tensor& out) {
  const kernel::GatherRows call{
      .terms = terms, .width = width, .x = x.data_ptr<float>(), .from = from.data(), .out = out.data_ptr<float>()};
  for_each_chunk(row_chunks(std::ssize(from) / terms, width),
                 [&](int64_t begin, int64_t end) { kernel::gather_rows(call, begin, end); });
}

struct UnfoldBackward : FusedNode {
  Windows windows;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dout = outputs[0].contiguous();
    const int64_t width = dout.size(1) / windows.kernel;
    at::Tensor dx = at::empty({windows.in.rows(), width}, dout.options());
    gather(dout, uses(windows), most_uses(windows), width, dx);
    return {dx};
  }
};

}  // namespace

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

}  // namespace plumb::ops
