#include "plumb/kernel/norm.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/norm.cpp"
#include <hwy/foreach_target.h>

#include "plumb/catalogue/norms.h"
#include "plumb/kernel/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_FLATTEN void norm_forward_target(const NormForward& call, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * call.width;
    keep_stats(call.stats, row, norm_row(call.norm, call.x + at, call.y + at, call.width));
  }
}

HWY_FLATTEN void norm_backward_target(const NormBackward& call, int64_t begin, int64_t end) {
  clear_norm_gradients(call.norm, call.gradients, call.width);
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * call.width;
    norm_row_backward({.norm = call.norm,
                       .side = call.side,
                       .gradients = call.gradients,
                       .saved = call.saved + at,
                       .dy = call.dy + at,
                       .extra = element(call.extra, at),
                       .dx = call.dx + at,
                       .stats = kept_stats(call.stats, row),
                       .n = call.width});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(norm_forward_target);
HWY_EXPORT(norm_backward_target);

void norm_forward(const NormForward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(norm_forward_target)(call, begin, end);
}

void norm_backward(const NormBackward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(norm_backward_target)(call, begin, end);
}

bool norm_is_invertible(const NormTerms& norm, int64_t width) {
  // h = (y - b) / w has an error of half an ulp of y, which is at most |w| |h| + |b|, divided by |w|.
  constexpr float kMostBias = 16, kLeastWeight = 1e-20F;
  const auto is_large = [](float weight) { return std::abs(weight) > kLeastWeight; };
  const NormRow& row = plumb::norm_row(norm.kind);
  if (!row.linear) return false;
  if (!std::all_of(norm.weight, norm.weight + row.weight.numbers(width), is_large)) return false;
  if (!row.bias) return true;
  return std::equal(norm.weight, norm.weight + width, norm.bias,
                    [](float weight, float bias) { return std::abs(bias) <= kMostBias * std::abs(weight); });
}

}  // namespace plumb::kernel
#endif
