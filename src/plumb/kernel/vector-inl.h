// The vector of floats that kernels work with: as wide as the target has it. Included once for each target, hence no
// pragma.

#include <cstdint>

#if defined(PLUMB_KERNEL_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_VECTOR_INL_H
#undef PLUMB_KERNEL_VECTOR_INL_H
#else
#define PLUMB_KERNEL_VECTOR_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

HWY_INLINE int64_t vector_lanes() {
  return static_cast<int64_t>(hn::Lanes(Tag()));
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_VECTOR_INL_H
