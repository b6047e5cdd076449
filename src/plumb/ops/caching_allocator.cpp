#include "plumb/ops/caching_allocator.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

namespace plumb::ops {
namespace {

constexpr size_t kHeader = 64;             // before the data: the size of the block; keeps the data aligned
constexpr size_t kHuge = size_t{2} << 20;  // blocks from this size on begin at a huge page
constexpr size_t kLeastKept = 256U << 20;  // that much may lie unused beyond a quarter of the most that was used

/// Sizes in steps of an eighth: batches of nearly the same size share blocks.
size_t rounded(size_t bytes) {
  if (bytes <= 512) return 512;
  const size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

class Blocks {
 public:
  void* take(size_t bytes) {
    const size_t size = rounded(bytes + kHeader);
    const std::lock_guard lock(mutex_);
    // A block that is half as large again serves, too: better than one more.
    for (auto found = free_.lower_bound(size); found != free_.end() && found->first <= size + size / 2; ++found) {
      if (found->second.empty()) continue;
      void* block = found->second.back();
      found->second.pop_back();
      unused_ -= found->first;
      used_ += found->first;
      return static_cast<char*>(block) + kHeader;
    }
    most_used_ = std::max(most_used_, used_ + size);
    if (used_ + unused_ + size > most_used_ + most_used_ / 4 + kLeastKept) release();
    char* block = fresh(size);
    *reinterpret_cast<size_t*>(block) = size;
    used_ += size;
    return block + kHeader;
  }

  void give_back(void* data) {
    char* block = static_cast<char*>(data) - kHeader;
    const size_t size = *reinterpret_cast<size_t*>(block);
    const std::lock_guard lock(mutex_);
    free_[size].push_back(block);
    used_ -= size;
    unused_ += size;
  }

  int64_t fresh_count() const { return fresh_; }

 private:
  char* fresh(size_t size) {
    ++fresh_;
    void* block = nullptr;
    if (posix_memalign(&block, size >= kHuge ? kHuge : kHeader, size) != 0) throw std::bad_alloc();
    if (size >= kHuge) madvise(block, size, MADV_HUGEPAGE);
    return static_cast<char*>(block);
  }

  void release() {
    for (auto& [size, blocks] : free_) {
      for (void* block : blocks) std::free(block);
      blocks.clear();
    }
    unused_ = 0;
  }

  std::mutex mutex_;
  std::map<size_t, std::vector<void*>> free_;
  size_t used_ = 0, unused_ = 0, most_used_ = 0;
  std::atomic<int64_t> fresh_ = 0;
};

// Never destroyed: tensors in static variables are freed after everything else.
Blocks& blocks() {
  static auto* const all = new Blocks;
  return *all;
}

void report(void* data, int64_t bytes) {
  if (c10::memoryProfilingEnabled()) c10::reportMemoryUsageToProfiler(data, bytes, 0, 0, c10::Device(c10::kCPU));
}

void give_back(void* data) {
  if (data == nullptr) return;
  report(data, -static_cast<int64_t>(*reinterpret_cast<size_t*>(static_cast<char*>(data) - kHeader)));
  blocks().give_back(data);
}

struct CachingAllocator : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) const override {
    void* data = bytes == 0 ? nullptr : blocks().take(bytes);
    if (data) report(data, static_cast<int64_t>(*reinterpret_cast<size_t*>(static_cast<char*>(data) - kHeader)));
    return {data, data, &give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
};

}  // namespace

void install_caching_allocator() {
  static CachingAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/1);
}

int64_t fresh_allocations() {
  return blocks().fresh_count();
}

}  // namespace plumb::ops
