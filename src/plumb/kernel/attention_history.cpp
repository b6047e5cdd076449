#include "plumb/kernel/attention_history.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/attention_history.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_FLATTEN void attend_history_target(const HistoryCall& call, const float* q, float* y) {
  const Tag d;
  float* weights = call.scratch;
  float largest = -INFINITY;
  for (int64_t i = 0; i < call.count; ++i) {
    const float* key = call.keys[i];
    const float score = sum_over(
        call.width, [&](auto part, int64_t j, Vector& s) { s = hn::MulAdd(part.load(q + j), part.load(key + j), s); });
    weights[i] = call.scale * score;
    largest = std::max(largest, weights[i]);
  }
  float sum = 0;
  for (int64_t i = 0; i < call.count; ++i) sum += weights[i] = std::exp(weights[i] - largest);
  for (int64_t i = 0; i < call.count; ++i) weights[i] /= sum;
  sweep(call.width, [&](auto part, int64_t j) {
    Vector total = hn::Zero(d);
    for (int64_t i = 0; i < call.count; ++i) {
      total = hn::MulAdd(hn::Set(d, weights[i]), part.load(call.values[i] + j), total);
    }
    part.store(total, y + j);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(attend_history_target);

void attend_history(const HistoryCall& call, const float* q, float* y) {
  HWY_DYNAMIC_DISPATCH(attend_history_target)(call, q, y);
}

}  // namespace plumb::kernel
#endif
