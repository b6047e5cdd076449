#include "plumb/ops/packed.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <ATen/ATen.h>

namespace plumb::ops {

Packed::Packed(const std::vector<int64_t>& lengths, std::vector<int64_t> samples) {
  auto layout = std::make_shared<Layout>();
  layout->samples = std::move(samples);
  if (layout->samples.empty()) {
    layout->samples.resize(lengths.size());
    std::iota(layout->samples.begin(), layout->samples.end(), 0);
  }
  TORCH_CHECK(layout->samples.size() == lengths.size(), layout->samples.size(), " sample names for ", lengths.size(),
              " sequences");
  for (size_t b = 0; b < lengths.size(); ++b) {
    const int64_t length = lengths[b];
    TORCH_CHECK(length > 0, "a packed sequence must hold at least one token, not ", length);
    layout->offsets.push_back(layout->offsets.back() + length);
    layout->longest = std::max(layout->longest, length);
    layout->row_samples.insert(layout->row_samples.end(), static_cast<size_t>(length), layout->samples[b]);
    for (int64_t t = 0; t < length; ++t) layout->row_positions.push_back(t);
  }
  layout_ = std::move(layout);
}

at::Tensor Packed::positions(const Where& where) const {
  return where.of(layout_->row_positions);
}

at::Tensor Packed::padded_rows(const Where& where) const {
  std::vector<int64_t> places(static_cast<size_t>(rows()));
  for (int64_t b = 0; b < sequences(); ++b) {
    std::iota(places.begin() + begin(b), places.begin() + begin(b + 1), b * longest());
  }
  return where.of(places);
}

at::Tensor Packed::occupied(const Where& where) const {
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < sequences(); ++b) lengths.push_back(length(b));
  return at::arange(longest(), where.options(at::kLong)).unsqueeze(0) < where.of(lengths).unsqueeze(1);
}

}  // namespace plumb::ops
