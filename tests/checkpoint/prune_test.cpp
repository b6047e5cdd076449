#include "plumb/checkpoint/prune.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "checkpoint/small_model.h"

namespace plumb {
namespace {

using Updates = std::vector<int64_t>;

class Pruning : public ::testing::Test {
 protected:
  void save(const Updates& updates) const {
    for (const int64_t update : updates) Small(1, 0).save(checkpoints_, update);
  }
  const TemporaryDirectory run_;
  const Checkpoints checkpoints_{run_.path()};
  CheckpointPruner pruner_{checkpoints_};
};

TEST_F(Pruning, RemovesOldOnesButSparesTheBest) {
  save({10, 20, 30, 40, 50});
  pruner_.prune(50, 2, {20});
  EXPECT_EQ(checkpoints_.updates(), (Updates{20, 40, 50}));
  pruner_.prune(50, 0, {});
  EXPECT_EQ(checkpoints_.updates().size(), 3u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run_ / "checkpoints"), {}), 3);
}

// 30 was damaged, the run went on from 20 and was told to stop at 26.
TEST_F(Pruning, KeepsWhatWasJustSavedAlthoughADamagedOneHasAHigherNumber) {
  save({20, 30});
  flip(checkpoints_.model_file(30));
  save({26});
  pruner_.prune(26, 1, {20});
  EXPECT_EQ(checkpoints_.updates(), (Updates{20, 26, 30}));
  pruner_.prune(26, 1, {});
  EXPECT_EQ(checkpoints_.updates(), (Updates{26, 30}));
  save({30});
  pruner_.prune(30, 1, {});
  EXPECT_EQ(checkpoints_.updates(), (Updates{30}));
}

TEST_F(Pruning, CountsOnlyWhatIsWhole) {
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    save({10, 20, 30, 40});
    flip(checkpoints_.folder(30) / name, 5);
    save({50});
    CheckpointPruner(checkpoints_).prune(50, 3, {});
    EXPECT_EQ(checkpoints_.updates(), (Updates{20, 30, 40, 50})) << name;
    std::filesystem::remove_all(run_ / "checkpoints");
  }
}

TEST_F(Pruning, CleansUpAfterOneThatWasKilled) {
  save({10});
  std::filesystem::create_directories(run_ / "checkpoints/.removed-5-1/model.safetensors");
  std::filesystem::create_directories(run_ / "checkpoints/.unfinished-20-1");
  pruner_.prune(10, 1, {});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run_ / "checkpoints"), {}), 1);
}

// A reader, or a process after a kill, finds all of it under its number or nothing.
TEST_F(Pruning, TakesTheNumberBeforeTheFiles) {
  save({10, 20});
  const int watch = ::inotify_init1(IN_NONBLOCK);
  ASSERT_GE(::inotify_add_watch(watch, checkpoints_.folder(10).c_str(), IN_DELETE | IN_MOVE_SELF), 0);
  pruner_.prune(20, 1, {});
  EXPECT_EQ(checkpoints_.updates(), (Updates{20}));
  inotify_event first{};
  alignas(inotify_event) std::array<char, 4096> events;
  ASSERT_GT(::read(watch, events.data(), events.size()), static_cast<ssize_t>(sizeof(first)));
  std::memcpy(&first, events.data(), sizeof(first));
  EXPECT_TRUE(first.mask & IN_MOVE_SELF) << first.mask;
  ::close(watch);
}

}  // namespace
}  // namespace plumb
