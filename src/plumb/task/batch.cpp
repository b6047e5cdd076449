#include "plumb/task/batch.h"

#include <ATen/ATen.h>

namespace plumb {

at::Tensor Packer::ids() const {
  return at::tensor(ids_, at::kLong);
}

at::Tensor first_rows(const ops::Packed& rows) {
  std::vector<int64_t> first;
  for (int64_t b = 0; b < rows.sequences(); ++b) first.push_back(rows.begin(b));
  return at::tensor(first, at::kLong);
}

}  // namespace plumb
