#include "plumb/ops/fused/indices.h"

#include <ATen/ATen.h>

namespace plumb::ops {

void check_indices(const at::Tensor& indices, int64_t count, const char* what) {
  TORCH_CHECK(indices.scalar_type() == at::kLong && indices.is_contiguous() && indices.device().is_cpu(), what,
              " indices must be contiguous int64");
  const auto* first = indices.data_ptr<int64_t>();
  for (int64_t i = 0; i < indices.numel(); ++i) {
    TORCH_CHECK(first[i] >= 0 && first[i] < count, what, ' ', first[i], " is not in 0 .. ", count - 1);
  }
}

}  // namespace plumb::ops
