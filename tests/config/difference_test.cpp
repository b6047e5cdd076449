#include "plumb/config/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/config/dump.h"
#include "plumb/config/fields.h"
#include "plumb/config/from_toml.h"

#include "config/config_test.h"

namespace plumb {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Config with(const Overrides& overrides) {
  return load_overrides(overrides);
}

bool may_change(const Overrides& before, const Overrides& after, bool same_data = true) {
  const Config a = with(before), b = with(after);
  const std::vector<Difference> all = differences(a, b);
  EXPECT_FALSE(all.empty());
  return std::ranges::all_of(all,
                             [&](const Difference& one) { return may_change_on_resume(one.key, a, b, same_data); });
}

TEST(Difference, OfEqualConfigsIsNone) {
  EXPECT_THAT(differences(Config{}, Config{}), IsEmpty());
}

TEST(Difference, NamesEachKeyWithBothValuesInTheOrderOfTheFile) {
  Config after;
  after.optim.lr = 2e-3;
  after.seed = 7;
  after.model.norm = NormKind::Rms;
  after.schedule.step_updates = {3};
  after.data.train_source = "a b";
  EXPECT_THAT(differences(Config{}, after),
              ElementsAre(Difference{"seed", "1", "7"}, Difference{"data.train_source", "\"\"", "\"a b\""},
                          Difference{"model.norm", "\"auto\"", "\"rms\""}, Difference{"optim.lr", "0.0005", "0.002"},
                          Difference{"schedule.step_updates", "[]", "[3]"}));
  EXPECT_EQ((Difference{"optim.lr", "0.001", "0.002"}).in_words(), "optim.lr was 0.001, is 0.002");
}

TEST(Difference, IsSeenInTheLastDigit) {
  Config after;
  after.optim.lr = std::nextafter(after.optim.lr, 1);
  EXPECT_EQ(differences(Config{}, after).size(), 1);
}

TEST(ChangeOnResume, IsFreeForWhatOnlySaysWhenToLookWriteOrStop) {
  EXPECT_TRUE(may_change({}, {"train.max_update=100", "train.max_epoch=3", "train.patience=4"}));
  EXPECT_TRUE(may_change({}, {"train.log_interval=1", "train.validate_interval=1", "train.save_interval=1",
                              "train.gradient_interval=1", "train.keep_last=1", "train.tensorboard=false"}));
  EXPECT_TRUE(may_change({}, {"data.cache=x", "data.test_source=y", "data.test_target=z"}, /*same_data=*/false));
}

TEST(ChangeOnResume, IsRefusedForWhatMakesAnUpdateOrAVerdict) {
  for (const char* one :
       {"seed=2", "ops=reference", "model.dropout=0.2", "optim.lr=1", "train.max_tokens=7", "train.update_freq=2",
        "train.label_smoothing=0", "train.restore_file=x", "train.band_sigmas=3", "train.stuck_updates=9",
        "schedule.warmup_updates=5", "data.max_length=50"}) {
    EXPECT_FALSE(may_change({}, {one})) << one;
  }
}

TEST(ChangeOnResume, OfTheThreadsIsFreeWhereTheyChangeNoBits) {
  EXPECT_TRUE(may_change({"threads=2"}, {"threads=3"}));
  EXPECT_FALSE(may_change({"threads=2", "ops=reference"}, {"threads=3", "ops=reference"}));
}

TEST(ChangeOnResume, OfTheLastUpdateIsRefusedWhereTheScheduleEndsThere) {
  for (const char* name : {"schedule.name=linear", "schedule.name=polynomial", "schedule.name=cosine"}) {
    const Overrides before{name, "schedule.warmup_updates=5", "train.max_update=100"};
    const auto after = [&](const Overrides& more) {
      Overrides all = before;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    EXPECT_FALSE(may_change(before, after({"train.max_update=200"}))) << name;
    EXPECT_FALSE(may_change(before, after({"schedule.total_updates=90"}))) << name;
    EXPECT_TRUE(may_change(before, after({"train.max_update=200", "schedule.total_updates=100"}))) << name;
    EXPECT_TRUE(
        may_change(after({"schedule.total_updates=80"}), after({"schedule.total_updates=80", "train.max_update=300"})))
        << name;
  }
}

TEST(ChangeOnResume, OfGenerationMattersOnlyToACurveOfBleu) {
  EXPECT_TRUE(may_change({}, {"generate.lenpen=2"}));
  EXPECT_TRUE(may_change({}, {"generate.lenpen=2", "train.validate_metric=bleu"}));
  EXPECT_FALSE(may_change({"train.validate_metric=bleu"}, {"train.validate_metric=bleu", "generate.lenpen=2"}));
  EXPECT_TRUE(may_change({"train.validate_metric=bleu"}, {"train.validate_metric=bleu", "generate.beam=2"}));
}

TEST(ChangeOnResume, OfTheWayToTheSameDataIsFree) {
  EXPECT_TRUE(may_change({}, {"data.vocab_size=100", "data.joint=false"}, /*same_data=*/true));
  EXPECT_FALSE(may_change({}, {"data.vocab_size=100"}, /*same_data=*/false));
}

TEST(DecidesOutputs, WhateverTheWeightsNeedToMeanTheSame) {
  for (const char* key :
       {"model.heads", "model.activation", "model.norm_eps", "model.scale_embedding", "model.max_positions",
        "model.variant", "model.positions", "task", "data.lowercase", "speech.normalise"}) {
    EXPECT_TRUE(decides_outputs(key)) << key;
  }
  for (const char* key : {"model.dropout", "model.init", "generate.beam", "train.max_update", "threads", "ops", "seed",
                          "data.test_source", "optim.lr", "speech.spec_augment"}) {
    EXPECT_FALSE(decides_outputs(key)) << key;
  }
}

TEST(FromToml, SaysWhichKeysTheTextHas) {
  Sources sources;
  from_toml("seed = 3\n[model]\nheads = 2\n", "x", &sources);
  EXPECT_TRUE(sources.has("seed") && sources.has("model.heads"));
  EXPECT_FALSE(sources.has("model.width"));
}

TEST(FromToml, ReadsBackWhatWasWritten) {
  Config config;
  config.seed = 9;
  config.model.init = Regime::T;
  config.model.final_norm = false;
  config.train.restore_file = "a = \"b\"\\c\n[d] # ä";
  config.optim.betas = {0.1 + 0.2, 0};
  config.schedule.step_updates = {1, 2};
  EXPECT_THAT(differences(from_toml(to_toml(config), "x"), config), IsEmpty());
  EXPECT_THAT(differences(from_toml(to_toml(Config{}), "x"), Config{}), IsEmpty());
}

TEST(FromToml, GivesDefaultsToKeysThatAreNotThereAndBlamesUnknownOnes) {
  EXPECT_THAT(differences(Config{}, from_toml("\n[optim]\nlr = 1.0\n", "x")),
              ElementsAre(Difference{"optim.lr", "0.0005", "1.0"}));
  EXPECT_THAT(error_of([] { from_toml("[optim]\nspeed = 1\n", "state.json"); }),
              HasSubstr("state.json optim.speed: unknown key"));
}

}  // namespace
}  // namespace plumb
