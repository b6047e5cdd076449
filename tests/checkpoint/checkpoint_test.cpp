#include "plumb/checkpoint/checkpoint.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

/// A model of one vector with an Adam that has made some steps.
struct Small {
  ParameterStore store;
  std::unique_ptr<Optimiser> optimiser;

  explicit Small(double value, int steps = 3) {
    store.declare({"w", {5}, {.value = value}});
    store.allocate(at::kFloat);
    store.draw(1);
    optimiser = make_optimiser({}, store);
    for (int i = 0; i < steps; ++i) {
      store.gradient("w").fill_(0.5);
      optimiser->step(1e-2);
    }
  }
};

std::filesystem::path file_of(const Checkpoints& checkpoints, int64_t update, const char* name) {
  return checkpoints.folder(update) / name;
}

TEST(Checkpoint, GivesBackWeightsOptimiserAndState) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small saved(1);
  checkpoints.save(40, saved.store, *saved.optimiser, {{"epoch", 2}});
  Small loaded(7, 0);
  const nlohmann::json state = checkpoints.load(40, loaded.store, *loaded.optimiser);
  EXPECT_EQ(state["epoch"], 2);
  EXPECT_EQ(state["update"], 40);
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
    const TemporaryDirectory run;
    const Checkpoints checkpoints(run.path());
    Small saved(1);
    checkpoints.save(40, saved.store, *saved.optimiser, {});
    const std::filesystem::path file = file_of(checkpoints, 40, name);
    const std::string whole = read_all(file);
    for (size_t length : {size_t{0}, whole.size() / 2, whole.size() - 1}) {
      std::ofstream(file, std::ios::binary) << whole.substr(0, length);
      Small loaded(7, 0);
      const at::Tensor before = loaded.store.values().clone();
      if (std::string(name) == "state.json" && length == whole.size() - 1) continue;  // only the line break is gone
      EXPECT_THROW(checkpoints.load(40, loaded.store, *loaded.optimiser), DamagedFile) << name << ' ' << length;
      EXPECT_TRUE(at::equal(before, loaded.store.values()));
      EXPECT_EQ(loaded.optimiser->steps(), 0);
    }
    std::filesystem::remove(file);
    Small loaded(7, 0);
    EXPECT_THROW(checkpoints.load(40, loaded.store, *loaded.optimiser), DamagedFile) << name;
  }
}

TEST(Checkpoint, OfWhichWritingWasInterruptedIsNotSeen) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small saved(1);
  checkpoints.save(40, saved.store, *saved.optimiser, {});
  std::filesystem::create_directories(run.path() / "checkpoints" / ".unfinished-60-1");
  EXPECT_EQ(checkpoints.updates(), std::vector<int64_t>{40});
  checkpoints.prune(5, {});
  EXPECT_FALSE(std::filesystem::exists(run.path() / "checkpoints" / ".unfinished-60-1"));
}

TEST(Checkpoint, OldOnesAreRemovedButTheBestIsSpared) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small saved(1);
  for (int64_t update : {10, 20, 30, 40, 50}) checkpoints.save(update, saved.store, *saved.optimiser, {});
  checkpoints.prune(2, {20});
  EXPECT_EQ(checkpoints.updates(), (std::vector<int64_t>{20, 40, 50}));
  checkpoints.prune(0, {});
  EXPECT_EQ(checkpoints.updates().size(), 3u);
}

TEST(Checkpoint, OfTheSameUpdateReplacesTheOneBefore) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small first(1), second(2);
  checkpoints.save(10, first.store, *first.optimiser, {});
  checkpoints.save(10, second.store, *second.optimiser, {});
  Small loaded(7, 0);
  checkpoints.load(10, loaded.store, *loaded.optimiser);
  EXPECT_TRUE(at::equal(second.store.values(), loaded.store.values()));
}

TEST(Average, IsTheMeanOfTheWeights) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small one(1, 0), two(2, 0), six(6, 0);
  checkpoints.save(1, one.store, *one.optimiser, {});
  checkpoints.save(2, two.store, *two.optimiser, {});
  checkpoints.save(3, six.store, *six.optimiser, {});
  Small average(0, 0);
  load_average(average.store, {checkpoints.model_file(1), checkpoints.model_file(2), checkpoints.model_file(3)});
  EXPECT_TRUE(at::equal(average.store.value("w"), at::full({5}, 3.0f)));
}

TEST(Average, TakesTheLastCheckpointsOrTheChosenOne) {
  const TemporaryDirectory run;
  const Checkpoints checkpoints(run.path());
  Small any(1);
  for (const int64_t update : {1, 2, 3}) checkpoints.save(update, any.store, *any.optimiser, {});
  const auto file = [&](int64_t update) { return checkpoints.model_file(update); };
  using Files = std::vector<std::filesystem::path>;
  EXPECT_EQ(checkpoints.model_files("1", 1), Files{file(1)});
  EXPECT_EQ(checkpoints.model_files("best", 2), (Files{file(3), file(2)}));
  EXPECT_EQ(checkpoints.model_files("best", 10), (Files{file(3), file(2), file(1)}));
  EXPECT_THROW(checkpoints.model_files("7", 2), UserError);
}

}  // namespace
}  // namespace plumb
