#include "plumb/kernel/gather_rows.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/gather_rows.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_FLATTEN void gather_rows_target(const GatherRows& call, int64_t begin, int64_t end) {
  const int64_t n = call.width;
  for (int64_t row = begin; row < end; ++row) {
    float* out = call.out + row * n;
    bool written = false;
    for (int64_t j = 0; j < call.terms; ++j) {
      const int64_t from = call.from[row * call.terms + j];
      if (from < 0) continue;
      const float* x = call.x + from * n;
      if (written) {
        sweep(n, [&](auto part, int64_t i) { add_to(part, out + i, part.load(x + i)); });
      } else {
        std::memcpy(out, x, static_cast<size_t>(n) * sizeof(float));
      }
      written = true;
    }
    if (!written) std::fill_n(out, n, 0.0F);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(gather_rows_target);

void gather_rows(const GatherRows& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(gather_rows_target)(call, begin, end);
}

}  // namespace plumb::kernel
#endif
