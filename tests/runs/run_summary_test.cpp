#include "plumb/runs/run_summary.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/config/dump.h"
#include "plumb/config/load.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

constexpr char kStarted[] = R"({"type":"event","event":"started","update":0,"parameters":1234})"
                            "\n";

class RunSummaryTest : public ::testing::Test {
 protected:
  void config(const std::vector<std::string>& overrides) {
    write_all(run_ / "config.toml", to_toml(load_overrides(overrides)));
  }
  void log(const std::string& text) { write_all(run_ / "log.jsonl", text); }
  RunSummary summary() const { return read_run_summary(run_.path()); }

  TemporaryDirectory run_;
};

std::string train(int update, double loss, double tokens, double rate) {
  return nlohmann::json{{"type", "train"}, {"update", update}, {"loss", loss}, {"tokens", tokens}, {"wps", rate}}
             .dump() +
         "\n";
}

std::string valid(int update, double loss, double bleu) {
  return nlohmann::json{{"type", "valid"}, {"update", update},      {"epoch", 0.5}, {"loss", loss},
                        {"nll", loss},     {"ppl", std::exp(loss)}, {"bleu", bleu}}
             .dump() +
         "\n";
}

std::string event(const std::string& name, int update, const std::string& more = "") {
  return R"({"type":"event","event":")" + name + R"(","update":)" + std::to_string(update) + more + "}\n";
}

std::string ended(int update, const std::string& outcome) {
  return event("ended", update, R"(,"outcome":")" + outcome + "\"");
}

TEST_F(RunSummaryTest, AFolderWithNothingInItHasNotStarted) {
  const RunSummary s = summary();
  EXPECT_EQ(s.state, RunState::NotStarted);
  EXPECT_EQ(s.name, run_.path().filename().string());
  EXPECT_FALSE(s.config || s.best || s.last || s.seconds || s.failure);
}

TEST_F(RunSummaryTest, TakesTheSettingFromTheConfig) {
  config({"model.encoder_layers=18", "model.decoder_layers=4", "model.width=64", "model.heads=4", "optim.lr=0.002",
          "schedule.warmup_updates=77", "seed=3", "train.max_update=900"});
  const RunSummary s = summary();
  EXPECT_EQ(s.encoder_layers, 18);
  EXPECT_EQ(s.decoder_layers, 4);
  EXPECT_EQ(s.width, 64);
  EXPECT_EQ(s.lr, 0.002);
  EXPECT_EQ(s.warmup_updates, 77);
  EXPECT_EQ(s.seed, 3);
  EXPECT_EQ(s.max_update, 900);
}

TEST_F(RunSummaryTest, SettingsThatAreNotKnownAreNotWrittenAsZero) {
  for (const char* text : {"", "no = config"}) {
    if (*text) write_all(run_ / "config.toml", text);
    const nlohmann::json written = to_json(summary());
    for (const char* key :
         {"variant", "encoder_layers", "decoder_layers", "width", "lr", "warmup_updates", "max_update", "seed"}) {
      EXPECT_FALSE(written.contains(key)) << key;
    }
    EXPECT_EQ(written["update"], 0);
  }
  config({"schedule.warmup_updates=0"});
  EXPECT_EQ(to_json(summary())["warmup_updates"], 0) << "a zero that was set is one";
}

TEST_F(RunSummaryTest, NamesBothVariantsOfAHybridAndTheWarmupThatAutoMeans) {
  config({"model.encoder_variant=post_ln"});
  EXPECT_EQ(summary().variant, "post_ln/pre_ln");
  EXPECT_EQ(summary().warmup_updates, 4000);
  config({"schedule.name=inverse_sqrt_nowarmup"});
  EXPECT_EQ(summary().variant, "pre_ln");
  EXPECT_EQ(summary().warmup_updates, 0);
}

TEST_F(RunSummaryTest, FindsTheBestAndTheLastValidationAndTheMedianRate) {
  log(kStarted + train(10, 5, 100, 50) + valid(10, 4, 1) + train(20, 4, 300, 100) + valid(20, 2, 30) +
      train(30, 3, 400, 25) + valid(30, 3, 40) + ended(30, "finished"));
  const RunSummary s = summary();
  EXPECT_EQ(s.state, RunState::Finished);
  EXPECT_TRUE(s.ended());
  EXPECT_EQ(s.parameters, 1234);
  EXPECT_EQ(s.update, 30);
  EXPECT_EQ(s.best->update, 20);
  EXPECT_EQ(s.best->loss, 2);
  EXPECT_NEAR(s.best->ppl, 7.38906, 1e-5);
  EXPECT_EQ(s.last->update, 30);
  EXPECT_EQ(s.last->scores.at("bleu"), 40);
  EXPECT_EQ(s.best_scores.at("bleu").value, 40);
  EXPECT_EQ(s.best_scores.at("bleu").update, 30);
  EXPECT_EQ(*s.tokens_per_second, 50);
  EXPECT_EQ(*s.seconds, 100 / 50. + 200 / 100. + 100 / 25.);
  EXPECT_EQ(*s.train_loss, 3);
}

TEST_F(RunSummaryTest, ALogOfAnOlderVersionIsReadInTheWordsOfToday) {
  log(R"({"event":"started","parameters":1234,"type":"event","unigram_entropy":4.0,"update":0})"
      "\n" +
      valid(10, 3, 1) + valid(20, 1, 1) + ended(20, "trained"));
  EXPECT_EQ(summary().state, RunState::Finished);
  EXPECT_EQ(summary().unigram_share, 0.25);
  EXPECT_EQ(to_json(summary()).at("state"), "finished");
  EXPECT_EQ(to_json(summary()).at("unigram_share"), 0.25);
}

TEST_F(RunSummaryTest, ErrorRatesAreBetterWhenTheyAreLower) {
  log(std::string(kStarted) + R"({"type":"valid","update":1,"loss":1,"wer":80})" + "\n" +
      R"({"type":"valid","update":2,"loss":1,"wer":20})" + "\n" + R"({"type":"valid","update":3,"loss":1,"wer":30})" +
      "\n");
  EXPECT_EQ(summary().best_scores.at("wer").value, 20);
  EXPECT_EQ(summary().best->update, 1);
}

TEST_F(RunSummaryTest, SaysWhereARunDiverged) {
  const std::string place =
      R"(,"loss":"NaN","gnorm":"Infinity","tap":"decoder.3.ffn.sum","gradient_tap":"g","parameter":"p")";
  log(kStarted + event("nonfinite", 4, R"(,"tap":"elsewhere")") + valid(5, 3, 1) + event("nonfinite", 7, place) +
      event("nonfinite", 8, R"(,"tap":"later")") + event("diverged", 9, R"(,"reason":"2 updates in a row")") +
      ended(9, "diverged"));
  const RunSummary s = summary();
  EXPECT_EQ(s.state, RunState::Diverged);
  EXPECT_TRUE(s.failed());
  ASSERT_TRUE(s.failure);
  EXPECT_EQ(s.failure->update, 9);
  EXPECT_EQ(s.failure->reason, "2 updates in a row");
  EXPECT_EQ(s.failure->tap, "decoder.3.ffn.sum");
  EXPECT_EQ(s.failure->parameter, "p");
}

TEST_F(RunSummaryTest, ALossThatIsNotFiniteIsNeverTheBest) {
  log(std::string(kStarted) + R"({"type":"valid","update":1,"loss":"NaN","nll":"NaN","ppl":"NaN"})" + "\n");
  EXPECT_FALSE(summary().best);
  ASSERT_TRUE(summary().last);
  EXPECT_TRUE(std::isnan(summary().last->loss));
}

TEST_F(RunSummaryTest, WhatWasDoneAgainAfterAKillCountsOnce) {
  log(kStarted + train(10, 5, 100, 50) + train(20, 1, 900, 1) + valid(20, 0.5, 99) + event("resumed", 10) +
      train(20, 4, 300, 100) + valid(20, 2, 30));
  const RunSummary s = summary();
  EXPECT_EQ(s.state, RunState::Unfinished);
  EXPECT_EQ(s.best->loss, 2);
  EXPECT_EQ(*s.seconds, 100 / 50. + 200 / 100.);
  EXPECT_EQ(s.parameters, 1234);
}

TEST_F(RunSummaryTest, ARunThatStartedAgainForgetsItsFirstTry) {
  log(kStarted + valid(5, 0.5, 99) + kStarted + valid(5, 2, 3) + ended(5, "interrupted"));
  EXPECT_EQ(summary().best->loss, 2);
  EXPECT_EQ(summary().state, RunState::Interrupted);
  EXPECT_FALSE(summary().ended());
}

TEST_F(RunSummaryTest, AnInterruptedRunThatGoesOnIsUnfinished) {
  log(kStarted + ended(5, "interrupted") + event("resumed", 5));
  EXPECT_EQ(summary().state, RunState::Unfinished);
}

TEST_F(RunSummaryTest, HalfALineAndLinesThatAreNoRecordsAreNoReasonToStop) {
  log(std::string(kStarted) + "hello\n[1,2]\n{\"type\":7,\"update\":1}\n{\"type\":\"train\",\"update\":\"x\"}\n" +
      R"({"type":"valid","update":3,"loss":"abc","scores":[1]})" + "\n" + valid(4, 2, 7) + R"({"type":"val)");
  const RunSummary s = summary();
  EXPECT_EQ(s.damaged_lines, 4);
  EXPECT_EQ(s.best->update, 4);
  EXPECT_EQ(s.state, RunState::Unfinished);
}

TEST_F(RunSummaryTest, AConfigOfAnotherVersionIsLeftOut) {
  write_all(run_ / "config.toml", "no_such_key = 7\n");
  log(kStarted + ended(9, "finished"));
  EXPECT_FALSE(summary().config);
  EXPECT_EQ(summary().state, RunState::Finished);
}

TEST_F(RunSummaryTest, AsJsonItHasWhatThereIs) {
  log(kStarted + valid(10, 4, 1) + ended(10, "stuck"));
  const nlohmann::json json = to_json(summary());
  EXPECT_EQ(json.at("state"), "stuck");
  EXPECT_EQ(json.at("best").at("loss"), 4);
  EXPECT_EQ(json.at("best_scores").at("bleu").at("value"), 1);
  EXPECT_FALSE(json.contains("seconds"));
}

}  // namespace
}  // namespace plumb
