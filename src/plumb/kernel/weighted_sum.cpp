#include "plumb/kernel/weighted_sum.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/weighted_sum.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_FLATTEN void weighted_sum_target(const float* const* parts, const float* weights, int64_t count, float* out,
                                     int64_t begin, int64_t end) {
  const Tag d;
  sweep(end - begin, [&](auto part, int64_t i) {
    Vector sum = hn::Zero(d);
    for (int64_t k = 0; k < count; ++k) {
      sum = hn::MulAdd(part.load(parts[k] + begin + i), hn::Set(d, weights[k]), sum);
    }
    part.store(sum, out + begin + i);
  });
}

HWY_FLATTEN double weighted_sum_backward_target(const float* values, float weight, const float* dout, float* dpart,
                                                int64_t begin, int64_t end) {
  const Tag d;
  const Vector factor = hn::Set(d, weight);
  constexpr int64_t kStretch = 1024;  // summed in floats; the stretches in double
  double total = 0;
  for (int64_t first = begin; first < end; first += kStretch) {
    total += static_cast<double>(sum_over(std::min(kStretch, end - first), [&](auto part, int64_t i, Vector& sum) {
      const Vector slope = part.load(dout + first + i);
      sum = hn::MulAdd(slope, part.load(values + first + i), sum);
      if (dpart) part.store(hn::Mul(slope, factor), dpart + first + i);
    }));
  }
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(weighted_sum_target);
HWY_EXPORT(weighted_sum_backward_target);

void weighted_sum(const float* const* parts, const float* weights, int64_t count, float* out, int64_t begin,
                  int64_t end) {
  HWY_DYNAMIC_DISPATCH(weighted_sum_target)(parts, weights, count, out, begin, end);
}

double weighted_sum_backward(const float* part, float weight, const float* dout, float* dpart, int64_t begin,
                             int64_t end) {
  return HWY_DYNAMIC_DISPATCH(weighted_sum_backward_target)(part, weight, dout, dpart, begin, end);
}

}  // namespace plumb::kernel
#endif
