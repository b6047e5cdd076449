#include "plumb/ops/fused/dropout.h"

#include <ATen/ATen.h>

#include "plumb/base/random_stream.h"
#include "plumb/ops/fused/residual.h"

namespace plumb::ops {

kernel::DropoutKey dropout_key(const Dropout& d) {
  const uint64_t key = splitmix64(splitmix64(splitmix64(d.seed) ^ d.step) ^ d.site);
  return {.key0 = static_cast<uint32_t>(key),
          .key1 = static_cast<uint32_t>(key >> 32),
          .threshold = static_cast<uint64_t>(d.p * 4294967296.0),
          .scale = static_cast<float>(1 / (1 - d.p))};
}

at::Tensor dropout_fused(const at::Tensor& x, const Packed& rows, const Dropout& dropout) {
  return residual_fused({.f = x, .rows = rows, .dropout = dropout});
}

}  // namespace plumb::ops
