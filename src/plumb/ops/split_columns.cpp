#include "plumb/ops/split_columns.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/split_columns.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

std::vector<at::Tensor> reference(const at::Tensor& x, int64_t parts) {
  std::vector<at::Tensor> views = x.chunk(parts, /*dim=*/1);
  for (at::Tensor& one : views) one = one.contiguous();
  return views;
}

}  // namespace

std::vector<at::Tensor> split_columns(const at::Tensor& x, int64_t parts) {
  return takes_fused_path(x) ? split_columns_fused(x, parts) : reference(x, parts);
}

}  // namespace plumb::ops
