#include "plumb/memory/arena.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace plumb::test {
namespace {

using memory::Arena;

constexpr size_t kReserved = size_t{1} << 30;

TEST(Arena, BlocksNeverOverlap) {
  Arena arena(kReserved);
  std::mt19937 random(7);
  std::map<unsigned char*, std::pair<size_t, unsigned char>> blocks;  // size, and what it was filled with
  for (int i = 0; i < 3000; ++i) {
    if (blocks.empty() || random() % 5 < 3) {
      const size_t bytes = 1 + random() % 20000;
      auto* block = static_cast<unsigned char*>(arena.take(bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U);
      EXPECT_TRUE(arena.owns(block));
      EXPECT_GE(arena.size_of(block), bytes);
      const auto mark = static_cast<unsigned char>(random());
      std::memset(block, mark, bytes);
      blocks[block] = {bytes, mark};
    } else {
      const auto one = std::next(blocks.begin(), static_cast<long>(random() % blocks.size()));
      const auto [bytes, mark] = one->second;
      EXPECT_TRUE(std::all_of(one->first, one->first + bytes, [mark = mark](unsigned char c) { return c == mark; }));
      arena.give_back(one->first);
      blocks.erase(one);
    }
  }
}

TEST(Arena, FreedNeighboursJoin) {
  Arena arena(kReserved);
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(arena.take(1 << 20));
  const int64_t growths = arena.growths();
  for (size_t i : {3U, 1U, 2U, 0U, 9U, 5U, 4U, 7U, 8U, 6U}) arena.give_back(blocks[i]);
  EXPECT_EQ(arena.take(10 << 20), blocks[0]);  // what was ten blocks is one gap
  EXPECT_EQ(arena.growths(), growths);
}

// Forward passes take, backward passes give back in the other order, every time with other sizes.
TEST(Arena, StepsOfOtherSizesUseTheSameMemory) {
  Arena arena(kReserved);
  std::mt19937 random(3);
  size_t most = 0;
  for (int step = 0; step < 200; ++step) {
    const size_t tokens = 500 + random() % 300;
    std::vector<void*> blocks;
    size_t used = 0;
    for (int layer = 0; layer < 12; ++layer) {
      for (size_t width : {64U, 192U, 64U, 256U}) {
        blocks.push_back(arena.take(tokens * width));
        used += tokens * width;
      }
      arena.give_back(blocks[blocks.size() - 2]);  // something short-lived
      blocks.erase(blocks.end() - 2);
    }
    most = std::max(most, used);
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) arena.give_back(*block);
  }
  EXPECT_LE(arena.extent(), most + most / 4);
}

TEST(Arena, SaysWhenThereIsNoRoom) {
  Arena arena(4 << 20);
  EXPECT_EQ(arena.take(5 << 20), nullptr);
  void* all = arena.take(4 << 20);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(arena.take(64), nullptr);
  arena.give_back(all);
  EXPECT_EQ(arena.take(4 << 20), all);
}

TEST(Arena, KnowsWhatIsLeft) {
  Arena arena(kReserved);
  EXPECT_EQ(arena.unused(), kReserved);
  EXPECT_EQ(arena.unused_pages(), 0U);
  void* block = arena.take(1 << 20);
  EXPECT_EQ(arena.unused(), kReserved - (1 << 20));
  arena.give_back(block);
  EXPECT_EQ(arena.unused(), kReserved);
  EXPECT_EQ(arena.unused_pages(), arena.extent());
  Arena none(0);
  EXPECT_EQ(none.take(4096), nullptr);
  EXPECT_EQ(none.unused(), 0U);
}

}  // namespace
}  // namespace plumb::test
