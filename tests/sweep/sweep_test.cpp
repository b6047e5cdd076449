#include "plumb/sweep/sweep.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/sweep/read_sweep.h"

#include "support/temporary_directory.h"

namespace plumb::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kConfig[] = PLUMB_SOURCE_DIR "/configs/task/numbers.toml";

class SweepPlan : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const {
    const std::filesystem::path path = folder_ / "sweep.toml";
    write_all(path, "config = \"" + std::string(kConfig) + "\"\n" + text);
    return path;
  }
  Sweep read(const std::string& text, const std::vector<std::string>& set = {}) const {
    return read_sweep(file(text), set);
  }
  std::string error(const std::string& text, const std::vector<std::string>& set = {}) const {
    try {
      read(text, set);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), Exit::UserInput) << error.what();
      return error.what();
    }
    return "";
  }

  TemporaryDirectory folder_;
};

std::vector<std::string> names(const std::vector<Arm>& arms) {
  std::vector<std::string> all;
  for (const Arm& arm : arms) all.push_back(arm.name);
  return all;
}

TEST_F(SweepPlan, TheGridIsAProductWhoseLastKeyChangesFastest) {
  const Sweep sweep = read("[grid]\noptim.lr = [1e-3, 0.01]\nschedule.warmup_updates = [0, 50, 100]\n");
  const std::vector<Arm> arms = arms_of(sweep);
  EXPECT_THAT(names(arms),
              ElementsAre("lr=0.001 warmup_updates=0", "lr=0.001 warmup_updates=50", "lr=0.001 warmup_updates=100",
                          "lr=0.01 warmup_updates=0", "lr=0.01 warmup_updates=50", "lr=0.01 warmup_updates=100"));
  EXPECT_THAT(arms[4].overrides, ElementsAre("optim.lr=0.01", "schedule.warmup_updates=50"));
  EXPECT_THAT(arms[4].point, ElementsAre("0.01", "50"));
  EXPECT_EQ(arms[4].folder, "lr=0.01_warmup_updates=50");
}

TEST_F(SweepPlan, EveryListedArmIsTriedAtEveryPoint) {
  const Sweep sweep = read(
      "seeds = [7, 3]\n[grid]\n\"optim.betas\" = [[0.9, 0.98], [0.9, 0.999]]\n"
      "[[arm]]\nname = \"deep\"\nmodel.encoder_layers = 12\nmodel.decoder_layers = 12\n[[arm]]\nmodel.variant = "
      "\"b2t\"\n");
  const std::vector<Arm> arms = arms_of(sweep);
  EXPECT_THAT(names(arms), ElementsAre("deep betas=[0.9, 0.98]", "deep betas=[0.9, 0.999]",
                                       "variant=b2t betas=[0.9, 0.98]", "variant=b2t betas=[0.9, 0.999]"));
  EXPECT_EQ(arms[1].folder, "deep_betas=0.9,0.999");
  const std::vector<sweep::Run> runs = runs_of(sweep, arms);
  ASSERT_EQ(runs.size(), 8);
  EXPECT_EQ(runs[0].seed, 7);
  EXPECT_EQ(runs[3].arm, 3);
  EXPECT_EQ(runs[4].seed, 3);
  EXPECT_EQ(runs[5].folder, "deep_betas=0.9,0.999/seed3");
}

TEST_F(SweepPlan, OverridesComeInTheOrderThatLetsArmsWin) {
  const Sweep sweep = read("threads = 2\n[set]\noptim.lr = 0.5\n[[arm]]\nname = \"a\"\noptim.lr = 0.25\n",
                           {"optim.lr=0.125", "model.variant=b2t"});
  const Arm arm = arms_of(sweep).front();
  EXPECT_THAT(overrides_of(sweep, arm, 9),
              ElementsAre("optim.lr=0.125", "model.variant=\"b2t\"", "optim.lr=0.25", "threads=2", "seed=9"));
  EXPECT_EQ(config_of(sweep, arm).optim.lr, 0.25);
  EXPECT_EQ(config_of(sweep, arm).threads, 2);
}

TEST_F(SweepPlan, WithoutArmsAndGridThereAreOnlySeeds) {
  const Sweep sweep = read("seeds = 3\n");
  EXPECT_THAT(sweep.seeds, ElementsAre(1, 2, 3));
  EXPECT_THAT(names(arms_of(sweep)), ElementsAre("run"));
}

TEST_F(SweepPlan, KeysThatEndAlikeKeepTheirSections) {
  const Sweep sweep = read("[grid]\nschedule.name = [\"constant\"]\noptim.name = [\"sgd\"]\n");
  EXPECT_THAT(names(arms_of(sweep)), ElementsAre("schedule.name=constant optim.name=sgd"));
}

TEST_F(SweepPlan, AHeatMapPrefersNumbersAndNeedsTwoKeysWithSeveralValues) {
  const std::string variants = "model.variant = [\"b2t\", \"pre_ln\"]\n", rates = "optim.lr = [1.0, 2.0]\n";
  EXPECT_THAT(heat_map_keys(read("[grid]\n" + variants + rates)), ElementsAre("model.variant", "optim.lr"));
  EXPECT_THAT(heat_map_keys(read("[grid]\n" + variants + rates + "optim.eps = [1e-8]\n")),
              ElementsAre("model.variant", "optim.lr"));
  EXPECT_THAT(heat_map_keys(read("[grid]\n" + variants + rates + "optim.eps = [1e-8, 1e-9]\n")),
              ElementsAre("optim.lr", "optim.eps"));
  EXPECT_THAT(heat_map_keys(read("[grid]\n" + rates)), ::testing::IsEmpty());
}

TEST_F(SweepPlan, WhatIsWrittenReadsBackEqual) {
  const Sweep sweep = read(
      "seeds = [4, 5]\nthreads = 2\ncores = 8\nmetric = \"test.exact\"\nbaseline = \"x y\"\ntest = "
      "\"exact\"\naverage = 4\nheatmap = [\"optim.betas\", \"optim.lr\"]\n[set]\nmodel.dropout = 0.5\n[grid]\noptim.lr "
      "= [1e-3, "
      "2.0]\n"
      "optim.betas = [[0.9, 0.98]]\n[[arm]]\nname = \"x y\"\n[[arm]]\nname = \"z\"\nmodel.variant = \"b2t\"\n",
      {"data.train_source=12"});
  write_all(folder_ / "again.toml", to_toml(sweep));
  const Sweep again = read_sweep(folder_ / "again.toml");
  EXPECT_EQ(to_toml(again).substr(to_toml(again).find('\n')), to_toml(sweep).substr(to_toml(sweep).find('\n')));
  EXPECT_THAT(names(arms_of(again)), ElementsAre("x y lr=0.001 betas=[0.9, 0.98]", "x y lr=2.0 betas=[0.9, 0.98]",
                                                 "z lr=0.001 betas=[0.9, 0.98]", "z lr=2.0 betas=[0.9, 0.98]"));
  EXPECT_THAT(again.set, ElementsAre("model.dropout=0.5", "data.train_source=\"12\""));
  EXPECT_EQ(again.test_metric, "exact");
  EXPECT_EQ(again.test_average, 4);
}

TEST_F(SweepPlan, TheConfigIsRelativeToTheSweepFile) {
  std::filesystem::create_directories(folder_ / "sub");
  write_all(folder_ / "base.toml", "[train]\nmax_update = 7\n");
  write_all(folder_ / "sub/sweep.toml", "config = \"../base.toml\"\n");
  const Sweep sweep = read_sweep(folder_ / "sub/sweep.toml");
  EXPECT_EQ(config_of(sweep, arms_of(sweep).front()).train.max_update, 7);
}

TEST_F(SweepPlan, AnArmThatSetsNothingIsTheConfigAsItIs) {
  const Sweep sweep = read("[[arm]]\n[[arm]]\nmodel.variant = \"b2t\"\n");
  EXPECT_THAT(names(arms_of(sweep)), ElementsAre("plain", "variant=b2t"));
}

TEST_F(SweepPlan, EveryMistakeNamesItsLineAndTheCure) {
  EXPECT_THAT(error("[grid]\noptim.lrr = [1]\n"), HasSubstr("sweep.toml:3 optim.lrr"));
  EXPECT_THAT(error("[grid]\noptim.lrr = [1]\n"), HasSubstr("Did you mean optim.lr?"));
  EXPECT_THAT(error("[grid]\noptim.lr = [1e-3, \"fast\"]\n"), HasSubstr("sweep.toml:3 optim.lr: wants a number"));
  EXPECT_THAT(error("[grid]\noptim.lr = 1e-3\n"), HasSubstr("wants a list of values"));
  EXPECT_THAT(error("[grid]\noptim.lr = [1.0, 1.0]\n"), HasSubstr("twice"));
  EXPECT_THAT(error("[grid]\noptim.lr = [1, 1.0]\n"), HasSubstr("twice"));  // as integer and as number
  EXPECT_THAT(error("[grid]\noptim.betas = [[0, 0.5], [0.0, 0.5]]\n"), HasSubstr("twice"));
  EXPECT_THAT(error("[grid]\noptim.lr = []\n"), HasSubstr("no values of optim.lr"));
  EXPECT_THAT(error("[grid]\nseed = [1, 2]\n"), HasSubstr("seeds = 3"));
  EXPECT_THAT(error("[set]\nthreads = 2\n"), HasSubstr("Write threads = 1 above"));
  EXPECT_THAT(error("[set]\noptim.lr = 1.0\n[grid]\noptim.lr = [1.0]\n"), HasSubstr("which the grid varies"));
  EXPECT_THAT(error("sedes = 3\n"), HasSubstr("Did you mean seeds?"));
  EXPECT_THAT(error("[gird]\noptim.lr = [1.0]\n"), HasSubstr("Did you mean grid?"));
  EXPECT_THAT(error("seeds = 0\n"), HasSubstr("cannot be 0"));
  EXPECT_THAT(error("seeds = 20000\n"), HasSubstr("Use 1 to 10000"));
  EXPECT_THAT(error("seeds = [1, 1]\n"), HasSubstr("a seed is there twice"));
  EXPECT_THAT(error("seeds = []\n"), HasSubstr("no seeds"));
  EXPECT_THAT(error("baseline = \"deap\"\n[[arm]]\nname = \"deep\"\n"), HasSubstr("Did you mean deep?"));
  EXPECT_THAT(error("[[arm]]\nname = \"a b\"\n[[arm]]\nname = \"a_b\"\n"), HasSubstr("two arms are called a_b"));
  EXPECT_THAT(error("[[arm]]\nname = \"../x\"\n"), HasSubstr("Begin its name with a letter"));
  EXPECT_THAT(error("[[arm]]\nname = \"data.json\"\n"), HasSubstr("A file of the sweep is called so"));
  EXPECT_THAT(error("[[arm]]\nname = \"a\\nb\"\n"), HasSubstr("the arm a_b cannot be shown"));
  EXPECT_THAT(error("[arm]\nname = \"a\"\n"), HasSubstr("Write [[arm]], with two brackets"));
  EXPECT_THAT(error("[grid]\nmodel.variant = [\"post_lm\"]\n"), HasSubstr("arm variant=post_lm: model.variant: "));
  EXPECT_THAT(error("cores = 5000\n"), HasSubstr("cannot be 5000. Use 1 to 4096"));
  EXPECT_THAT(error("[[arm]]\nname = \"[]\"\n"), HasSubstr("an arm is called []"));
  for (const std::string key :
       {"arm[x", "arm[", "arm[0", "arm[0]", "arm[0].", "arm[0]x", "arm[-1].name", "arm[1 ].name"}) {
    EXPECT_THAT(error("\"" + key + "\" = 1\n"), HasSubstr("sweep.toml:2 " + key + ": a sweep has no such key"));
  }
  EXPECT_THAT(error("[[arm]]\noptim = [{}]\n"), HasSubstr("optim[0]"));
  EXPECT_THAT(error("average = 3\n"), HasSubstr("sweep.toml average: goes with test"));
  EXPECT_THAT(error("average = 0\ntest = true\n"), HasSubstr("cannot be 0"));
  EXPECT_THAT(error("average = 9\ntest = true\n"), HasSubstr("a run keeps 5. Set train.keep_last = 9"));
  EXPECT_THAT(error("metric = \"bleu\"\n"), HasSubstr("train.validate_metric = \"bleu\""));
  EXPECT_THAT(error("metric = \"test.bleu\"\n"), HasSubstr("test = true"));
  EXPECT_THAT(error("test = \"blue\"\n"), HasSubstr("Did you mean bleu?"));
  EXPECT_THAT(error("test = \"bleu\"\nmetric = \"test.chrf\"\n"), HasSubstr("the test set is scored with bleu"));
  EXPECT_THAT(error("metric = \"los\"\n"), HasSubstr("Did you mean loss?"));
  for (const char* metric : {"throughput", "", "last.", "last.throughput", "wps", "ppl_byte"}) {
    EXPECT_THAT(error(fmt::format("metric = \"{}\"\n", metric)), HasSubstr("There are loss, nll, ppl")) << metric;
  }
  EXPECT_THAT(error("metric = \"exact.foo\"\n[set]\ntrain.validate_metric = \"exact\"\n"),
              HasSubstr("validations have no number exact.foo"));
  EXPECT_THAT(error("metric = \"test.rouge.foo\"\ntest = \"rouge\"\n"), HasSubstr("rouge.rouge1"));
  EXPECT_THAT(error("metric = \"rouge.rouge1\"\n"), HasSubstr("train.validate_metric = \"rouge\""));
  EXPECT_THAT(error("task = \"language_model\"\n"), HasSubstr("a sweep has no such key"));
  EXPECT_THAT(error("heatmap = [\"optim.lr\", \"optim.eps\"]\n[grid]\noptim.lr = [1.0]\n"),
              HasSubstr("the grid has no optim.eps"));
  EXPECT_THAT(error("[set]\ntrain.max_update = 0\n"), HasSubstr("would never end"));
  EXPECT_THAT(error("[[arm]]\nname = \"odd\"\nmodel.heads = 5\n"), HasSubstr("arm odd: "));
  EXPECT_THAT(error("", {"optim.lrr=1"}), HasSubstr("--set optim.lrr"));
  EXPECT_THAT(error("[grid\n"), HasSubstr("not valid TOML"));
  EXPECT_THAT(error("seeds = 9999\n[grid]\noptim.lr = [1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,11.0]\n"),
              HasSubstr("more than 100000 runs"));
  std::string many = "seeds = 9999\n";
  for (int i = 0; i < 11; ++i) many += fmt::format("[[arm]]\nname = \"a{}\"\n", i);
  EXPECT_THAT(error(many), HasSubstr("more than 100000 runs"));
}

TEST_F(SweepPlan, NumbersThatTheRunsHaveAreMetrics) {
  EXPECT_EQ(read("metric = \"last.ppl\"\n").metric, "last.ppl");
  EXPECT_EQ(read("metric = \"test.rouge.rouge1\"\ntest = \"rouge\"\n").metric, "test.rouge.rouge1");
  EXPECT_EQ(read("metric = \"ppl_byte\"\n[set]\ntask = \"language_model\"\n"
                 "model.form = \"decoder\"\nmodel.share_all_embeddings = false\n")
                .metric,
            "ppl_byte");
}

TEST_F(SweepPlan, NamesOfOtherAlphabetsHaveFoldersOfTheirOwn) {
  const std::vector<Arm> arms = arms_of(read("[[arm]]\nname = \"α\"\n[[arm]]\nname = \"β\"\n"));
  EXPECT_NE(arms[0].folder, arms[1].folder);
  EXPECT_EQ(arms[0].name, "α");
}

TEST_F(SweepPlan, CheckpointsThatAreAllKeptCanAllBeAveraged) {
  EXPECT_EQ(read("average = 9\ntest = true\n[set]\ntrain.keep_last = 0\n").test_average, 9);
  EXPECT_EQ(read("average = 1\n").test_average, 1);
}

TEST_F(SweepPlan, EverySweepOfTheProjectLoads) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMB_SOURCE_DIR "/configs/sweep")) {
    ++files;
    EXPECT_NO_THROW(read_sweep(entry.path())) << entry.path();
  }
  EXPECT_GE(files, 1);
}

}  // namespace
}  // namespace plumb::sweep
