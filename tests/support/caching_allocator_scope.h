#pragma once

#include <c10/core/CPUAllocator.h>

#include "plumb/memory/caching_allocator.h"

namespace plumb::test {

/// The caching allocator until the end of the scope. The tests after it work with LibTorch's own again, whatever their
/// order; what came from the cache goes back to it, because a tensor remembers who frees it.
class CachingAllocatorScope {
 public:
  CachingAllocatorScope() : before_(c10::GetCPUAllocator()) { memory::install_caching_allocator(); }
  ~CachingAllocatorScope() { c10::SetCPUAllocator(before_, /*priority=*/1); }
  CachingAllocatorScope(const CachingAllocatorScope&) = delete;
  CachingAllocatorScope& operator=(const CachingAllocatorScope&) = delete;

 private:
  c10::Allocator* before_;
};

}  // namespace plumb::test
