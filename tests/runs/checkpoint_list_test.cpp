#include "plumb/runs/checkpoint_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"

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
  for (const std::string name : {"100", "20", ".unfinished-300-7", "3x"}) add(name, "{}");
  EXPECT_THAT(checkpoint_updates(run_.path()), ElementsAre(20, 100));
  EXPECT_EQ(checkpoint_folder(run_.path(), 20), run_ / "checkpoints/20");
}

TEST_F(CheckpointList, KnowsTheBestTheLastAndEachByItsNumber) {
  add("20", "{}");
  add("100", R"({"files":{},"optimiser_steps":100,"position":{"best_update":20}})");
  EXPECT_EQ(chosen_checkpoint(run_.path(), "last"), 100);
  EXPECT_EQ(chosen_checkpoint(run_.path(), "best"), 20);
  EXPECT_EQ(chosen_checkpoint(run_.path(), "20"), 20);
  EXPECT_THROW(chosen_checkpoint(run_.path(), "21"), UserError);
  EXPECT_THROW(chosen_checkpoint(run_.path(), "beste"), UserError);
  add("100", R"({"files":{},"optimiser_steps":100,"position":{"best_update":60}})");
  EXPECT_EQ(chosen_checkpoint(run_.path(), "best"), 100);  // the best one is gone
}

TEST_F(CheckpointList, AStateThatIsNotWholeIsDamaged) {
  add("20", R"({"files":{},"optimiser_steps":20})");
  EXPECT_EQ(checkpoint_state(run_.path(), 20).at("optimiser_steps"), 20);
  add("20", R"({"files":{},"optim)");
  EXPECT_THROW(checkpoint_state(run_.path(), 20), DamagedFile);
  EXPECT_THROW(checkpoint_state(run_.path(), 21), DamagedFile);
}

}  // namespace
}  // namespace plumb
