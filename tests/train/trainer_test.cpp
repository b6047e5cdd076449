#include "plumb/train/trainer.h"

#include <map>
#include <thread>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/store/weights_file.h"

#include "support/log_lines.h"
#include "support/thread_workers.h"
#include "support/tiny_translation.h"

namespace plumb {
namespace {

class TrainerTest : public testing::Test {
 protected:
  std::filesystem::path run(const std::string& name) const { return tiny_.folder / name; }

  std::vector<nlohmann::json> records(const std::string& name, const std::string& type) const {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& record : log_lines(run(name))) {
      if (record["type"] == type) found.push_back(record);
    }
    return found;
  }

  /// Trains with two workers into one run directory, each with its own config, and gives their outcomes.
  std::vector<RunOutcome> run_two(const std::string& name, const Config& first, const Config& second) const {
    ThreadWorkers workers(2);
    Trainer one(first, tiny_.data, run(name), workers.worker(0));
    Trainer two(second, tiny_.data, run(name), workers.worker(1));
    std::vector<RunOutcome> outcomes(2);
    {
      std::jthread thread([&] { outcomes[0] = one.run(); });
      outcomes[1] = two.run();
    }
    return outcomes;
  }

  at::Tensor weights(const std::string& name, int64_t update) const {
    Transformer model(config_.model, 1);
    load_weights(model.parameters(), Checkpoints(run(name)).model_file(update));
    return model.parameters().values().clone();
  }

  TinyTranslation tiny_;
  Config& config_ = tiny_.config;
};

TEST_F(TrainerTest, LogsTheRateThatEachUpdateUsed) {
  config_.schedule.name = "step";
  config_.schedule.step_epochs = {1, 2};
  config_.schedule.decay = 0.5;
  config_.train.max_update = 0;
  config_.train.max_epoch = 3;
  config_.train.log_interval = 1;
  EXPECT_EQ(Trainer(config_, tiny_.data, run("run")).run(), RunOutcome::Finished);
  std::map<double, int64_t> updates;  // by rate
  double before = 0;                  // epochs, when the update began
  for (const nlohmann::json& record : records("run", "train")) {
    EXPECT_EQ(record["lr"], 1e-2 * std::pow(0.5, std::floor(before))) << record;
    before = record["epoch"];
    ++updates[record["lr"]];
  }
  EXPECT_EQ(updates.size(), 3);
}

TEST_F(TrainerTest, WithTwoWorkersTrainsAsWithOne) {
  config_.optim.name = "sgd";  // Adam makes whole steps of gradients that are nothing but rounding: keys' biases
  config_.optim.lr = 0.5;
  config_.train.update_freq = 2;
  config_.train.validate_interval = config_.train.log_interval = 4;
  EXPECT_EQ(Trainer(config_, tiny_.data, run("one")).run(), RunOutcome::Finished);
  EXPECT_EQ(run_two("two", config_, config_), (std::vector<RunOutcome>(2, RunOutcome::Finished)));
  for (const char* type : {"train", "valid", "event"}) {
    const std::vector<nlohmann::json> one = records("one", type), two = records("two", type);
    ASSERT_EQ(one.size(), two.size()) << type;  // only one worker writes
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i]["update"], two[i]["update"]);
      EXPECT_NEAR(one[i].value("loss", 0.0), two[i].value("loss", 0.0), 1e-4) << one[i];
      EXPECT_EQ(one[i].value("tokens", 0), two[i].value("tokens", 0));
    }
  }
  EXPECT_TRUE(at::allclose(weights("one", 12), weights("two", 12), 1e-4, 1e-5));
}

TEST_F(TrainerTest, EndsForAllWorkersWhenOneHasAReason) {
  config_.train.update_freq = 2;
  config_.train.validate_interval = 4;
  Config hasty = config_;
  hasty.train.stuck_updates = 1;
  hasty.optim.lr = config_.optim.lr = 1e-9;
  EXPECT_EQ(run_two("run", config_, hasty), (std::vector<RunOutcome>(2, RunOutcome::Stuck)));
  EXPECT_EQ(records("run", "event").back()["outcome"], "stuck");
  EXPECT_EQ(records("run", "event").back()["update"], 4);
}

// Twenty times the rate: nothing is infinite, and nothing of what it had learnt is left.
TEST_F(TrainerTest, EndsARunThatDivergesModerately) {
  config_.model.variant = "post_ln";
  config_.train.max_update = 160;
  config_.train.save_interval = 160;
  config_.train.validate_interval = 10;
  config_.train.band_window = 40;
  ASSERT_EQ(Trainer(config_, tiny_.data, run("run")).run(), RunOutcome::Finished);
  config_.train.max_update = 400;
  config_.optim.lr *= 20;
  Trainer trainer(config_, tiny_.data, run("run"));
  ASSERT_TRUE(trainer.resume(/*allow_changes=*/true));
  EXPECT_EQ(trainer.run(), RunOutcome::Diverged);
  const std::vector<nlohmann::json> events = records("run", "event");
  EXPECT_EQ(events[events.size() - 2]["event"], "diverged") << events.back();
  EXPECT_LE(events.back()["update"], 160 + 100);
  EXPECT_GT(events.back()["unigram_share"], 0.8);
}

/// A run of 12 updates with checkpoints at 4, 8 and 12.
class ResumedTrainer : public TrainerTest {
 protected:
  ResumedTrainer() {
    config_.train.save_interval = config_.train.validate_interval = 4;
    config_.train.keep_last = 0;
    EXPECT_EQ(Trainer(config_, tiny_.data, run("run")).run(), RunOutcome::Finished);
  }

  std::filesystem::path file(int64_t update, const char* name) const {
    return Checkpoints(run("run")).folder(update) / name;
  }
  void damage(int64_t update, const char* name) const {
    std::string bytes = read_all(file(update, name));
    bytes[bytes.size() / 2] ^= 1;
    write_all(file(update, name), bytes);
  }
  /// Resumes, trains to the end and gives the update that it continued from.
  int64_t resumed() {
    Trainer trainer(config_, tiny_.data, run("run"));
    EXPECT_TRUE(trainer.resume(/*allow_changes=*/false));
    EXPECT_EQ(trainer.run(), RunOutcome::Finished);
    return records("run", "event").rbegin()[1]["update"];
  }
};

TEST_F(ResumedTrainer, FallsBackWhateverIsDamaged) {
  const at::Tensor expected = weights("run", 12);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    damage(12, name);
    EXPECT_EQ(resumed(), 8) << name;
    EXPECT_TRUE(at::equal(weights("run", 12), expected)) << name;
  }
}

TEST_F(ResumedTrainer, FallsBackFromAStateThatCannotBe) {
  const at::Tensor expected = weights("run", 12);
  const nlohmann::json whole = nlohmann::json::parse(read_all(file(12, "state.json")));
  for (const bool checked : {true, false}) {
    for (const char* key : {"/position/batch", "/position/update", "/guard/seen", "/config", "/threads"}) {
      for (const nlohmann::json& value : {nlohmann::json(-1), nlohmann::json("x = 1"), nlohmann::json()}) {
        nlohmann::json state = whole;
        if (!checked) state.erase("checksum");
        state[nlohmann::json::json_pointer(key)] = value;
        if (!checked && std::string(key) == "/guard/seen" && value == -1) continue;  // the guard believes it
        write_all(file(12, "state.json"), state.dump());
        EXPECT_EQ(resumed(), 8) << key << ' ' << value;
        EXPECT_TRUE(at::equal(weights("run", 12), expected));
      }
    }
  }
}

TEST_F(ResumedTrainer, IsRefusedIfNothingIsWholeAndMayStartAgain) {
  const at::Tensor expected = weights("run", 12);
  damage(4, "optimizer.safetensors");
  damage(8, "state.json");
  damage(12, "model.safetensors");
  {
    Trainer trainer(config_, tiny_.data, run("run"));
    try {
      trainer.resume(/*allow_changes=*/true);
      FAIL() << "started again";
    } catch (const DamagedFile& error) {
      for (const char* part : {"12/model.safetensors", "8/state.json", "4/optimizer.safetensors", "--restart"}) {
        EXPECT_THAT(error.what(), testing::HasSubstr(part));
      }
    }
  }
  EXPECT_EQ(Checkpoints(run("run")).updates().size(), 3u);
  {
    Trainer trainer(config_, tiny_.data, run("run"));
    trainer.restart();
    EXPECT_EQ(trainer.run(), RunOutcome::Finished);
  }
  EXPECT_TRUE(at::equal(weights("run", 12), expected));
  for (const char* kept : {"4", "8", "12"}) {
    EXPECT_TRUE(std::filesystem::exists(run("run") / "checkpoints-1" / kept / "optimizer.safetensors")) << kept;
  }
}

TEST_F(TrainerTest, ResumesARunWithoutACheckpointFromTheStart) {
  Trainer trainer(config_, tiny_.data, run("run"));
  EXPECT_FALSE(trainer.resume(/*allow_changes=*/false));
}

TEST_F(TrainerTest, SavesNoWeightsWhoseValidationIsNotFinite) {
  config_.optim.name = "sgd";
  config_.optim.lr = 1e37;  // finite weights, but nothing that they compute
  config_.train.validate_interval = config_.train.save_interval = 1;
  for (int tries = 0; tries < 2; ++tries) {
    Trainer trainer(config_, tiny_.data, run("run"));
    EXPECT_FALSE(trainer.resume(/*allow_changes=*/false));
    EXPECT_EQ(trainer.run(), RunOutcome::Diverged);
    EXPECT_TRUE(Checkpoints(run("run")).updates().empty());
  }
}

TEST_F(TrainerTest, SavesNoWeightsThatAreNotFinite) {
  config_.optim.name = "sgd";
  config_.optim.lr = 1e38;
  config_.optim.weight_decay = 1e6;  // part of the gradient: the first update makes infinities
  config_.optim.decay = Decay::L2;
  config_.train.save_interval = 1;
  config_.train.validate_interval = 100;
  config_.train.nonfinite_steps = 3;
  EXPECT_EQ(Trainer(config_, tiny_.data, run("run")).run(), RunOutcome::Diverged);
  EXPECT_TRUE(Checkpoints(run("run")).updates().empty());
  Trainer again(config_, tiny_.data, run("run"));
  EXPECT_FALSE(again.resume(/*allow_changes=*/false));
}

TEST_F(TrainerTest, TakesTheLockThatWasTakenBefore) {
  std::filesystem::create_directories(run("run"));
  std::optional<RunLock> lock(std::in_place, run("run"));
  EXPECT_THROW(Trainer(config_, tiny_.data, run("run")), UserError);
  Trainer trainer(config_, tiny_.data, run("run"), std::make_unique<OneWorker>(), std::move(lock));
  EXPECT_THROW(RunLock(run("run")), UserError);
}

}  // namespace
}  // namespace plumb
