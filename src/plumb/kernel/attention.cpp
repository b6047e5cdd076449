#include "plumb/kernel/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/attention.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/attention_backward-inl.h"
#include "plumb/kernel/attention_forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

size_t scratch_target(int64_t keys, int64_t width) {
  return scratch_floats(keys, width);
}

void forward_target(const AttentionCall& call, HeadRows q, HeadRows k, HeadRows v, MutableHeadRows y, float* lse) {
  forward(call, q, k, v, y, lse);
}

void backward_target(const AttentionCall& call, const AttentionSaved& saved, HeadRows dy, MutableHeadRows dq,
                     MutableHeadRows dk, MutableHeadRows dv) {
  backward(call, saved, dy, dq, dk, dv);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(scratch_target);
HWY_EXPORT(forward_target);
HWY_EXPORT(backward_target);

size_t attention_scratch(int64_t keys, int64_t width) {
  return HWY_DYNAMIC_DISPATCH(scratch_target)(keys, width);
}

void attention_forward(const AttentionCall& call, HeadRows q, HeadRows k, HeadRows v, MutableHeadRows y, float* lse) {
  HWY_DYNAMIC_DISPATCH(forward_target)(call, q, k, v, y, lse);
}

void attention_backward(const AttentionCall& call, const AttentionSaved& saved, HeadRows dy, MutableHeadRows dq,
                        MutableHeadRows dk, MutableHeadRows dv) {
  HWY_DYNAMIC_DISPATCH(backward_target)(call, saved, dy, dq, dk, dv);
}

}  // namespace plumb::kernel
#endif
