#pragma once

#include <cstdint>

namespace plumb::memory {

/// Makes every tensor of the CPU come from memory that is kept when a tensor is freed: a training step needs as much as
/// the step before, and the system would zero the pages of new memory again. Large tensors lie in an Arena. Call it
/// once, before the first tensor is made.
void install_caching_allocator();

/// How many times memory came from the system, in this process: it stands still while steps are alike.
int64_t fresh_allocations();

/// Bytes that new tensors can have without asking the system, in this process: of addresses, and of pages that have
/// been used before.
struct Room {
  int64_t addresses = 0, pages = 0;
};
Room room_in_arena();

}  // namespace plumb::memory
