#include "plumb/kernel/simd.h"

#include <hwy/targets.h>

namespace plumb::kernel {

std::string simd_name() {
  const int64_t best = hwy::SupportedTargets() & -hwy::SupportedTargets();  // the lowest bit is the best target
  return hwy::TargetName(best);
}

}  // namespace plumb::kernel
