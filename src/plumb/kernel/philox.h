#pragma once

#include <cstdint>

namespace plumb::kernel {

/// One dropout layer of one step: the key of its generator, the share that it drops in units of 2^-32 and the factor
/// of what it keeps. 64 bits, because a share that rounds to all of it would be 2^32.
struct DropoutKey {
  uint32_t key0 = 0, key1 = 0;
  uint64_t threshold = 0;
  float scale = 1;
};

/// factors[i] = 0 or `scale` for element i < n of the line named (sample, position, lane). Element i is word i % 4 of
/// philox4x32({i / 4, position, low half of sample, lane}, {key0, key1 ^ high half of sample}); dropped if that is
/// below the threshold. So every path that follows this rule drops the same elements.
void keep_factors(const DropoutKey& key, uint64_t sample, uint32_t position, uint32_t lane, float* factors, int64_t n);

}  // namespace plumb::kernel
