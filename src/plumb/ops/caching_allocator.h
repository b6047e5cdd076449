#pragma once

#include <cstdint>

namespace plumb::ops {

/// Makes every tensor of the CPU come from blocks that are kept when a tensor is freed: a training step asks for the
/// same sizes as the step before, and the kernel would zero the pages of new memory again. Call it once, before the
/// first tensor is made.
void install_caching_allocator();

/// How many blocks came from the system, in this process: it stands still while steps are alike.
int64_t fresh_allocations();

}  // namespace plumb::ops
