#include "plumb/checkpoint/checkpoint.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "plumb/base/error.h"

#include "checkpoint/small_model.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

TEST(Checkpoint, GivesBackWeightsOptimiserAndState) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small saved(1);
  saved.save(checkpoints, 40, {.position = {.epoch = 2}});
  Small loaded(7, 0);
  const CheckpointState state = checkpoints.load(40, loaded.store, *loaded.optimiser);
  EXPECT_EQ(state.position.epoch, 2);
  EXPECT_EQ(state.position.update, 40);
  EXPECT_TRUE(at::equal(saved.store.values(), loaded.store.values()));
  EXPECT_EQ(loaded.optimiser->steps(), 3);
  // Both go on alike, bit for bit.
  for (Small* one : {&saved, &loaded}) {
    one->store.gradient("w").fill_(0.25);
    one->optimiser->step(1e-2);
  }
  EXPECT_TRUE(at::equal(saved.store.values(), loaded.store.values()));
}

TEST(Checkpoint, ThatIsDamagedIsRefusedAndChangesNothing) {
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    for (const bool older : {false, true}) {
      const TemporaryDirectory run;
      const Checkpoints checkpoints(run.path());
      Small(1).save(checkpoints, 40);
      if (older) make_older(checkpoints.folder(40));
      const fs::path file = checkpoints.folder(40) / name;
      const std::string whole = read_all(file);
      for (size_t length : {size_t{0}, whole.size() / 2, whole.size() - 1}) {
        std::ofstream(file, std::ios::binary) << whole.substr(0, length);
        Small loaded(7, 0);
        const at::Tensor before = loaded.store.values().clone();
        if (std::string(name) == "state.json" && length == whole.size() - 1) continue;  // only the line break is gone
        EXPECT_THROW(checkpoints.load(40, loaded.store, *loaded.optimiser), DamagedFile) << name << ' ' << length;
        EXPECT_THROW(checkpoints.check(40), DamagedFile);
        EXPECT_TRUE(at::equal(before, loaded.store.values()));
        EXPECT_EQ(loaded.optimiser->steps(), 0);
      }
      fs::remove(file);
      Small loaded(7, 0);
      EXPECT_THROW(checkpoints.load(40, loaded.store, *loaded.optimiser), DamagedFile) << name;
      ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
      EXPECT_THROW(checkpoints.load(40, loaded.store, *loaded.optimiser), DamagedFile) << name;
      fs::remove(file);
      fs::create_directory(file);
      EXPECT_THROW(checkpoints.load(40, loaded.store, *loaded.optimiser), DamagedFile) << name;
    }
  }
}

TEST(Checkpoint, OfAnOlderVersionIsLoaded) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  const Small saved(1);
  saved.save(checkpoints, 40);
  make_older(checkpoints.folder(40));
  Small loaded(7, 0);
  checkpoints.load(40, loaded.store, *loaded.optimiser);
  EXPECT_TRUE(at::equal(saved.store.values(), loaded.store.values()));
}

TEST(Checkpoint, WithWeightsThatAreNotFiniteIsRefusedByTheirName) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  const Small saved(1);
  saved.store.value("w")[3] = NAN;
  saved.save(checkpoints, 40);
  Small loaded(7, 0);
  try {
    checkpoints.load(40, loaded.store, *loaded.optimiser);
    FAIL() << "NaN";
  } catch (const DamagedFile& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("weights that are not finite (w): the run had diverged"));
  }
}

TEST(Checkpoint, OfWhichWritingOrRemovingWasInterruptedIsNotSeen) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  const Small saved(1);
  saved.save(checkpoints, 40);
  const fs::path leftovers[] = {run / "checkpoints/.unfinished-60-1", run / "checkpoints/.removed-20-1"};
  for (const fs::path& one : leftovers) fs::create_directories(one / "model.safetensors");
  EXPECT_EQ(checkpoints.updates(), std::vector<int64_t>{40});
  saved.save(checkpoints, 50);
  for (const fs::path& one : leftovers) EXPECT_FALSE(fs::exists(one)) << one;
}

TEST(Checkpoint, OfTheSameUpdateReplacesTheOneBefore) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small first(1), second(2);
  first.save(checkpoints, 10);
  second.save(checkpoints, 10);
  Small loaded(7, 0);
  checkpoints.load(10, loaded.store, *loaded.optimiser);
  EXPECT_TRUE(at::equal(second.store.values(), loaded.store.values()));
  EXPECT_EQ(std::distance(fs::directory_iterator(run / "checkpoints"), {}), 1);
  // Whatever has taken its name.
  fs::remove_all(checkpoints.folder(10));
  write_all(checkpoints.folder(10), "a file");
  first.save(checkpoints, 10);
  EXPECT_NO_THROW(checkpoints.check(10));
}

TEST(Checkpoint, IsSetAsideWholeOrNot) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  EXPECT_EQ(checkpoints.set_aside(), "");
  for (const char* name : {"checkpoints-1", "checkpoints-2"}) {
    Small(1).save(checkpoints, 10);
    flip(checkpoints.model_file(10));
    EXPECT_EQ(checkpoints.set_aside(), run / name);
    EXPECT_TRUE(fs::exists(run / name / "10/model.safetensors"));
    EXPECT_TRUE(checkpoints.updates().empty());
  }
}

}  // namespace
}  // namespace plumb
