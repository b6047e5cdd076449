#include "plumb/kernel/partial_sums.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/partial_sums.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_FLATTEN void add_partial_sums_target(const float* partials, int64_t chunks, int64_t stride, float* out,
                                         int64_t begin, int64_t end) {
  constexpr int64_t kBlock = 64;   // rows of the partial sums are read in the order of memory
  constexpr int64_t kFloats = 16;  // so many are added up in floats, the rest in double
  for (int64_t first = begin; first < end; first += kBlock) {
    const int64_t count = std::min(kBlock, end - first);
    double sums[kBlock] = {};
    HWY_ALIGN float some[kBlock];
    for (int64_t chunk = 0; chunk < chunks; chunk += kFloats) {
      const int64_t last = std::min(chunks, chunk + kFloats);
      sweep(count, [&](auto part, int64_t i) {
        Vector sum = part.load(partials + chunk * stride + first + i);
        for (int64_t c = chunk + 1; c < last; ++c) sum = hn::Add(sum, part.load(partials + c * stride + first + i));
        part.store(sum, some + i);
      });
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(some[i]);
    }
    for (int64_t i = 0; i < count; ++i) {
      out[first + i] = static_cast<float>(static_cast<double>(out[first + i]) + sums[i]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(add_partial_sums_target);

void add_partial_sums(const float* partials, int64_t chunks, int64_t stride, float* out, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(add_partial_sums_target)(partials, chunks, stride, out, begin, end);
}

}  // namespace plumb::kernel
#endif
