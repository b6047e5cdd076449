#include "plumb/kernel/philox.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/philox.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

void keep_factors_target(const DropoutKey& key, uint64_t sample, uint32_t position, uint32_t lane, float* factors,
                         int64_t n) {
  fill_keep(hn::ScalableTag<float>(), keep_line(key, sample, position, lane), factors, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(keep_factors_target);

void keep_factors(const DropoutKey& key, uint64_t sample, uint32_t position, uint32_t lane, float* factors, int64_t n) {
  HWY_DYNAMIC_DISPATCH(keep_factors_target)(key, sample, position, lane, factors, n);
}

}  // namespace plumb::kernel
#endif
