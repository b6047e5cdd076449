#include "plumb/memory/caching_allocator.h"

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include "support/caching_allocator_scope.h"

namespace plumb::test {
namespace {

class CachingAllocator : public ::testing::Test {
  const CachingAllocatorScope cached_;
};

TEST_F(CachingAllocator, GivesTheSameMemoryAgain) {
  void* first = at::empty({1000, 1000}).data_ptr();
  const int64_t before = memory::fresh_allocations();
  const at::Tensor again = at::empty({1000, 1000});
  EXPECT_EQ(again.data_ptr(), first);
  EXPECT_EQ(memory::fresh_allocations(), before);
  const at::Tensor other = at::empty({1000, 1000});
  EXPECT_NE(other.data_ptr(), first);
}

TEST_F(CachingAllocator, ServesOtherSizesFromTheSameMemory) {
  void* first = at::empty({1000, 1001}).data_ptr();
  const int64_t before = memory::fresh_allocations();
  for (int64_t rows : {990, 17, 500}) EXPECT_EQ(at::empty({rows, 1000}).data_ptr(), first) << rows;
  EXPECT_EQ(memory::fresh_allocations(), before);
}

TEST_F(CachingAllocator, CountsWhatComesFromTheSystem) {
  const int64_t before = memory::fresh_allocations();
  const at::Tensor large = at::empty({300, 1000, 1000});
  EXPECT_EQ(memory::fresh_allocations(), before + 1);
}

TEST_F(CachingAllocator, AlignsToCacheLines) {
  for (int64_t n : {1, 3, 100, 5000, 1 << 20}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(at::empty({n}).data_ptr()) % 64, 0U) << n;
  }
}

TEST_F(CachingAllocator, TakesEmptyTensorsAndRawMemory) {
  EXPECT_EQ(at::empty({0}).numel(), 0);
  c10::Allocator* allocator = c10::GetCPUAllocator();
  void* raw = allocator->raw_allocate(100);
  ASSERT_NE(raw, nullptr);
  allocator->raw_deallocate(raw);
}

}  // namespace
}  // namespace plumb::test
