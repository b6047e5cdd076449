#include "plumb/ops/packed.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <ATen/ATen.h>

namespace plumb::ops {

Packed::Packed(const std::vector<int64_t>& lengths, std::vector<int64_t> samples) : samples_(std::move(samples)) {
  for (const int64_t length : lengths) {
    TORCH_CHECK(length > 0, "a packed sequence must hold at least one token, not ", length);
    offsets_.push_back(offsets_.back() + length);
    longest_ = std::max(longest_, length);
  }
  if (samples_.empty()) {
    samples_.resize(lengths.size());
    std::iota(samples_.begin(), samples_.end(), 0);
  }
  TORCH_CHECK(samples_.size() == lengths.size(), samples_.size(), " sample names for ", lengths.size(), " sequences");
}

at::Tensor Packed::positions() const {
  at::Tensor result = at::empty({rows()}, at::kLong);
  int64_t* row = result.data_ptr<int64_t>();
  for (int64_t b = 0; b < sequences(); ++b) {
    std::iota(row + begin(b), row + begin(b + 1), 0);
  }
  return result;
}

at::Tensor Packed::padded_rows() const {
  at::Tensor result = at::empty({rows()}, at::kLong);
  int64_t* row = result.data_ptr<int64_t>();
  for (int64_t b = 0; b < sequences(); ++b) {
    std::iota(row + begin(b), row + begin(b + 1), b * longest_);
  }
  return result;
}

at::Tensor Packed::occupied() const {
  at::Tensor lengths = at::empty({sequences(), 1}, at::kLong);
  for (int64_t b = 0; b < sequences(); ++b) lengths.data_ptr<int64_t>()[b] = length(b);
  return at::arange(longest_, at::kLong).unsqueeze(0) < lengths;
}

}  // namespace plumb::ops
