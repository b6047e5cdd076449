#include "plumb/memory/caching_allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <vector>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include "plumb/memory/arena.h"
#include "plumb/memory/libtorch.h"
#include "plumb/process/memory_limits.h"

namespace plumb::memory {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kLarge = 4096;  // from here on, the arena
constexpr size_t kAddresses = size_t{1} << 40;

// A limit on addresses counts what is only reserved: libraries and threads must find some as well.
size_t addresses_to_reserve() {
  constexpr size_t kForOthers = size_t{384}
                                << 20;  // stacks and heaps of the threads that save and read ahead, above all
  const std::optional<MemoryLimit> limit = address_limit();
  if (!limit) return kAddresses;
  const auto left = static_cast<size_t>(limit->left);
  return left > 2 * kForOthers ? left - kForOthers : left / 2;
}

/// Small blocks come in steps of a quarter, at least.
size_t size_class(size_t bytes) {
  const size_t step = std::max(kCacheLine, std::bit_floor(bytes) / 4);
  return (bytes + step - 1) / step * step;
}

class Blocks {
 public:
  void* take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes >= kLarge) {
      if (void* data = arena_.take(bytes)) return data;
    }
    return take_small(size_class(bytes));
  }

  void give_back(void* data) {
    const std::lock_guard lock(mutex_);
    if (arena_.owns(data)) return arena_.give_back(data);
    free_[header(data)].push_back(data);
  }

  size_t size_of(void* data) {
    const std::lock_guard lock(mutex_);
    return arena_.owns(data) ? arena_.size_of(data) : header(data);
  }

  Room room() {
    const std::lock_guard lock(mutex_);
    return {static_cast<int64_t>(arena_.unused()), static_cast<int64_t>(arena_.unused_pages())};
  }

  int64_t fresh_count() {
    const std::lock_guard lock(mutex_);
    return fresh_ + arena_.growths();
  }

 private:
  /// The line before the data holds the size.
  static size_t& header(void* data) { return *reinterpret_cast<size_t*>(static_cast<char*>(data) - kCacheLine); }

  void* take_small(size_t size) {
    if (std::vector<void*>& blocks = free_[size]; !blocks.empty()) {
      void* data = blocks.back();
      blocks.pop_back();
      return data;
    }
    ++fresh_;
    void* block = nullptr;
    if (posix_memalign(&block, kCacheLine, size + kCacheLine) != 0) throw std::bad_alloc();
    void* data = static_cast<char*>(block) + kCacheLine;
    header(data) = size;
    return data;
  }

  std::mutex mutex_;
  Arena arena_{addresses_to_reserve()};
  std::unordered_map<size_t, std::vector<void*>> free_;
  int64_t fresh_ = 0;
};

// Never destroyed: tensors in static variables are freed after everything else.
Blocks& blocks() {
  static auto* const all = new Blocks;
  return *all;
}

void report(void* data, int64_t sign) {
  if (!c10::memoryProfilingEnabled()) return;
  const auto bytes = static_cast<int64_t>(blocks().size_of(data));
  c10::reportMemoryUsageToProfiler(data, sign * bytes, 0, 0, c10::Device(c10::kCPU));
}

void give_back(void* data) {
  if (data == nullptr) return;
  report(data, -1);
  blocks().give_back(data);
}

struct CachingAllocator : libtorch::CpuAllocator {
  c10::DataPtr take(size_t bytes) const override {
    void* data = bytes == 0 ? nullptr : blocks().take(bytes);
    if (data) report(data, 1);
    return {data, data, &give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
};

}  // namespace

void install_caching_allocator() {
  static CachingAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/1);
}

Room room_in_arena() {
  return blocks().room();
}

int64_t fresh_allocations() {
  return blocks().fresh_count();
}

}  // namespace plumb::memory
