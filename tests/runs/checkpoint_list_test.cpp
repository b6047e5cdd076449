#include "plumb/runs/checkpoint_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/runs/checkpoint_state.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CheckpointList : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& state) const {
    std::filesystem::create_directories(run_ / ("checkpoints/" + name));
    write_all(run_ / ("checkpoints/" + name + "/state.json"), state);
  }
  TemporaryDirectory run_;
};

TEST_F(CheckpointList, HasWhatIsWhole) {
  EXPECT_THAT(checkpoint_updates(run_.path()), IsEmpty());
  EXPECT_THROW(chosen_checkpoint(run_.path(), "last"), UserError);
  for (const std::string name : {"100", "20", ".unfinished-300-7", ".removed-10-7", "3x", "-5", "007"}) add(name, "{}");
  EXPECT_THAT(checkpoint_updates(run_.path()), ElementsAre(20, 100));
  EXPECT_EQ(checkpoint_folder(run_.path(), 20), run_ / "checkpoints/20");
}

TEST_F(CheckpointList, KnowsTheBestTheLastAndEachByItsNumber) {
  const auto with_best = [](int64_t best) {
    return to_text({.position = {.update = 100, .best_loss = 1, .best_update = best}});
  };
  add("20", "{}");
  add("100", with_best(20));
  EXPECT_EQ(chosen_checkpoint(run_.path(), "last"), 100);
  EXPECT_EQ(chosen_checkpoint(run_.path(), "best"), 20);
  EXPECT_EQ(chosen_checkpoint(run_.path(), "20"), 20);
  EXPECT_THROW(chosen_checkpoint(run_.path(), "21"), UserError);
  EXPECT_THROW(chosen_checkpoint(run_.path(), "beste"), UserError);
  add("100", with_best(60));
  EXPECT_EQ(chosen_checkpoint(run_.path(), "best"), 100);  // the best one is gone
  add("100", with_best(-1));
  EXPECT_EQ(chosen_checkpoint(run_.path(), "best"), 100);  // there was none yet
  add("100", "{}");
  EXPECT_THROW(chosen_checkpoint(run_.path(), "best"), DamagedFile);  // who knows?
}

}  // namespace
}  // namespace plumb
