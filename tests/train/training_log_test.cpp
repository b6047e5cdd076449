#include "plumb/train/training_log.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "support/log_lines.h"
#include "support/temporary_directory.h"

namespace plumb {
namespace {

TrainConfig without_tensorboard() {
  TrainConfig train;
  train.max_update = 100;
  train.tensorboard = false;
  return train;
}

StepResult update_of(double loss, int64_t tokens, double lr) {
  return {
      .loss = loss, .nll = loss / 2, .gradient_norm = 3, .lr = lr, .tokens = tokens, .rows = 2 * tokens, .fill = 0.5};
}

TEST(TrainingLog, HasTheMeansOverTokensSinceTheLastRecordAndTheLastRate) {
  const TemporaryDirectory run;
  TrainingLog log(run.path(), without_tensorboard(), /*writes=*/true);
  log.step(0, update_of(4, 10, 0.1));
  log.step(1, update_of(1, 30, 0.2));
  log.train({.update = 2, .epoch = 0.5, .tokens = 40}, update_of(1, 30, 0.2));
  log.step(2, update_of(7, 5, 0.3));
  log.train({.update = 3, .epoch = 1, .tokens = 45}, update_of(7, 5, 0.3));
  const std::vector<nlohmann::json> records = log_lines(run.path());
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0]["type"], "train");
  EXPECT_EQ(records[0]["loss"], (4 * 10 + 1 * 30) / 40.0);
  EXPECT_EQ(records[0]["nll"], (2 * 10 + 0.5 * 30) / 40.0);
  EXPECT_EQ(records[0]["lr"], 0.2);
  EXPECT_EQ(records[0]["wpb"], 20);
  EXPECT_EQ(records[0]["rows"], 40);
  EXPECT_EQ(records[0]["fill"], 0.5);
  EXPECT_EQ(records[0]["tokens"], 40);
  EXPECT_EQ(records[1]["loss"], 7);
  EXPECT_EQ(records[1]["lr"], 0.3);
}

TEST(TrainingLog, TellsOfALostUpdateAndLeavesItOutOfTheMean) {
  const TemporaryDirectory run;
  TrainingLog log(run.path(), without_tensorboard(), /*writes=*/true);
  StepResult lost = update_of(HUGE_VAL, 10, 0.1);
  lost.applied = false;
  lost.nonfinite.parameter = "w";
  log.step(0, update_of(2, 10, 0.1));
  log.step(1, lost);
  log.train({.update = 2}, lost);
  log.step(2, lost);
  log.train({.update = 3}, lost);
  const std::vector<nlohmann::json> records = log_lines(run.path());
  ASSERT_EQ(records.size(), 4);
  EXPECT_EQ(records[0]["event"], "nonfinite");
  EXPECT_EQ(records[0]["update"], 1);
  EXPECT_EQ(records[0]["parameter"], "w");
  EXPECT_EQ(records[1]["loss"], 2);
  EXPECT_EQ(records[3]["loss"], "Infinity");  // there is no mean: the loss that was refused
}

TEST(TrainingLog, HasWhatAValidationMeasures) {
  const TemporaryDirectory run;
  TrainingLog log(run.path(), without_tensorboard(), /*writes=*/true);
  const ValidationReport report{.losses = {.loss = 2, .nll = 1, .targets = 5},
                                .numbers = {{"ppl_word", 9}, {"bleu", 12.5}},
                                .samples = SamplesRecord{0, {"a"}, {"b"}, {"c"}}};
  log.valid({.update = 7, .epoch = 2}, report, /*best=*/true);
  const std::vector<nlohmann::json> records = log_lines(run.path());
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(
      records[0],
      (nlohmann::json{{"type", "samples"}, {"update", 7}, {"source", {"a"}}, {"reference", {"b"}}, {"output", {"c"}}}));
  EXPECT_EQ(records[1]["type"], "valid");
  EXPECT_EQ(records[1]["loss"], 2);
  EXPECT_DOUBLE_EQ(records[1]["ppl"], std::exp(1));
  EXPECT_EQ(records[1]["ppl_word"], 9);
  EXPECT_EQ(records[1]["bleu"], 12.5);
}

TEST(TrainingLog, NamesTheReasonOfAnEarlyEnd) {
  const TemporaryDirectory run;
  TrainingLog log(run.path(), without_tensorboard(), /*writes=*/true);
  log.ending(5, {RunOutcome::Stuck, "why"}, 3);
  log.ending(5, {RunOutcome::Finished}, 3);
  const std::vector<nlohmann::json> records = log_lines(run.path());
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0], (nlohmann::json{{"type", "event"}, {"event", "stuck"}, {"update", 5}, {"reason", "why"}}));
  EXPECT_EQ(records[1],
            (nlohmann::json{{"type", "event"}, {"event", "early_stop"}, {"update", 5}, {"best_update", 3}}));
}

TEST(TrainingLog, OfAWorkerThatDoesNotWriteIsSilent) {
  const TemporaryDirectory run;
  TrainingLog log(run.path(), without_tensorboard(), /*writes=*/false);
  log.started({});
  log.step(0, update_of(4, 10, 0.1));
  log.train({.update = 1}, update_of(4, 10, 0.1));
  log.valid({.update = 1}, {}, true);
  log.gradients(1, {{"encoder.layers.0.ffn", 1}});
  log.ended(1, RunOutcome::Finished, 3.0);
  EXPECT_TRUE(std::filesystem::is_empty(run.path()));
}

// TensorBoard's file grows faster than the log, so that it reaches a limit on file sizes first.
TEST(TrainingLog, TellsOnceThatTensorBoardCannotBeWrittenAndGoesOn) {
  const TemporaryDirectory run;
  TrainConfig config = without_tensorboard();
  config.tensorboard = true;
  TrainingLog log(run.path(), config, /*writes=*/true);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{3000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto failures = [&] {
    return std::ranges::count_if(log_lines(run.path()), [](const nlohmann::json& record) {
      return record.value("event", "") == "tensorboard_failed";
    });
  };
  int64_t update = 0;
  while (failures() == 0 && update < 100) log.train({.update = ++update}, update_of(1, 30, 0.2));
  EXPECT_LT(update, 100);
  log.train({.update = ++update}, update_of(1, 30, 0.2));
  EXPECT_EQ(failures(), 1);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
}

}  // namespace
}  // namespace plumb
