#include "plumb/train/checkpoint_writer.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

class CheckpointWriting : public ::testing::Test {
 protected:
  CheckpointWriting() {
    store_.declare({"w", {1000, 1000}, {.value = 1}});
    store_.allocate(at::kFloat);
    store_.draw(1);
    optimiser_ = make_optimiser({}, store_);
  }

  void update() {
    store_.gradient("w").fill_(0.5);
    optimiser_->step(1e-2);
  }
  void start(CheckpointWriter& writer, int64_t number) {
    writer.start(number, store_, *optimiser_, {.position = {.epoch = number}}, {.newest = 2, .spared = {1}});
  }

  const TemporaryDirectory run_;
  const Checkpoints checkpoints_{run_.path()};
  PhaseFile phase_;
  ParameterStore store_;
  std::unique_ptr<Optimiser> optimiser_;
};

// As training does: the parameters change as soon as they may, long before the checkpoint stands under its name.
TEST_F(CheckpointWriting, KeepsWhatWasThereWhenItBegan) {
  std::vector<at::Tensor> values;
  {
    CheckpointWriter writer(checkpoints_, phase_);
    for (int64_t number = 1; number <= 5; ++number) {
      values.push_back(store_.values().clone());
      start(writer, number);
      writer.wait_for_tensors();
      update();
    }
  }
  EXPECT_EQ(checkpoints_.updates(), (std::vector<int64_t>{1, 4, 5}));
  for (int64_t number : {1, 4, 5}) {
    const CheckpointState state = checkpoints_.load(number, store_, *optimiser_);
    EXPECT_EQ(state.position.epoch, number);
    EXPECT_EQ(optimiser_->steps(), number - 1);
    EXPECT_TRUE(at::equal(store_.values(), values[static_cast<size_t>(number - 1)])) << number;
  }
}

TEST_F(CheckpointWriting, StandsWhenItWasWaitedFor) {
  CheckpointWriter writer(checkpoints_, phase_);
  writer.wait();  // nothing to wait for
  writer.wait_for_tensors();
  start(writer, 7);
  writer.wait();
  EXPECT_EQ(checkpoints_.updates(), std::vector<int64_t>{7});
}

TEST_F(CheckpointWriting, SaysWhatWentWrong) {
  std::filesystem::remove_all(run_.path());
  std::ofstream(run_.path()) << "a file where the folder should be";
  CheckpointWriter writer(checkpoints_, phase_);
  start(writer, 7);
  EXPECT_THROW(
      {
        writer.wait_for_tensors();  // must not hang; it may know already
        writer.wait();
      },
      DiskError);
  EXPECT_NO_THROW(writer.wait());  // once
}

}  // namespace
}  // namespace plumb
