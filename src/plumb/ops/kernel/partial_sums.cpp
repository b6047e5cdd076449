#include "plumb/ops/kernel/partial_sums.h"

#include <algorithm>

namespace plumb::kernel {

void add_partial_sums(const float* partials, int64_t chunks, int64_t stride, float* out, int64_t begin, int64_t end) {
  constexpr int64_t kBlock = 64;  // rows of the partial sums are read in the order of memory
  for (int64_t first = begin; first < end; first += kBlock) {
    const int64_t count = std::min(kBlock, end - first);
    double sums[kBlock] = {};
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const float* part = partials + chunk * stride + first;
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(part[i]);
    }
    for (int64_t i = 0; i < count; ++i)
      out[first + i] = static_cast<float>(static_cast<double>(out[first + i]) + sums[i]);
  }
}

}  // namespace plumb::kernel
