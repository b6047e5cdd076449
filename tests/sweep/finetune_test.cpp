// Fine-tuning with an engine that costs nothing: a script that writes logs and checkpoints.

#include "plumb/sweep/finetune.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"
#include "plumb/runs/checkpoint_state.h"

#include "support/temporary_directory.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// optim.lr decides what becomes of a run: 9 diverges before its first checkpoint, 8 gets stuck after it, 7 cannot be
// done; the accuracy is lr and the seed. Every start leaves a line in `starts`.
constexpr char kTuningEngine[] = R"(#!/bin/sh
command=$1; run=$2; lr=1; seed=1; split=; checkpoint=; out=
echo "$*" >> $STARTS
while [ $# -gt 0 ]; do
  case $1 in
    --set) case $2 in optim.lr=*) lr=${2#optim.lr=};; seed=*) seed=${2#seed=};; esac; shift;;
    --out) out=$2; shift;;
    --split) split=$2; shift;;
    --checkpoint) checkpoint=$2; shift;;
  esac
  shift
done
if [ $command = prepare ]; then
  side='{"text":"x","tokens":"x"}'; there="{\"source\":$side,\"target\":$side}"; files='{"model":"","codes":"","dict":""}'
  none='{"text":"","tokens":""}'; test="{\"source\":$none,\"target\":$none}"
  if [ -e $STARTS.test ]; then test=$there; fi
  fingerprint=a; if [ -e $STARTS.changed ]; then fingerprint=b; fi
  echo "{\"source_tokenizer\":$files,\"target_tokenizer\":$files,\"source_vocab\":1,\"target_vocab\":1,\"source_rate\":0,\"train\":$there,\"valid\":$there,\"test\":$test,\"fingerprint\":\"$fingerprint\"}"
  exit 0
fi
if [ $command = evaluate ]; then
  echo "{\"run\":\"$run\",\"split\":\"$split\",\"update\":10,\"average\":1,\"targets\":5,\"nll\":1,\"ppl\":2,\"loss\":0.5,\"accuracy\":$(cat $run/accuracy),\"accuracy.majority\":50}"
  exit 0
fi
log() { echo "$1" >> $out/log.jsonl; }
log '{"type":"event","event":"started","update":0,"parameters":5}'
end=finished
case $lr in
  9.0) log '{"type":"event","event":"ended","update":3,"outcome":"diverged"}'; exit 5;;
  8.0) end=stuck;;
  7.0) echo 'plumb: the disk is on fire' >&2; exit 4;;
esac
mkdir -p $out/checkpoints/10
echo ${lr%.*}$seed > $out/accuracy
log "{\"type\":\"event\",\"event\":\"ended\",\"update\":10,\"outcome\":\"$end\"}"
if [ $end = stuck ]; then exit 5; fi
)";

class FineTune : public ::testing::Test {
 protected:
  FineTune() {
    write_all(folder_ / "plumb", kTuningEngine);
    fs::permissions(folder_ / "plumb", fs::perms::owner_all);
    ::setenv("STARTS", (folder_ / "starts").c_str(), 1);
    for (const int64_t update : {60, 120}) {
      const fs::path checkpoint = folder_ / ("bert/checkpoints/" + std::to_string(update));
      fs::create_directories(checkpoint);
      write_all(checkpoint / "state.json",
                to_text({.position = {.update = update, .best_loss = 1, .best_update = 60}}));
    }
    write_all(folder_ / "bert/config.toml", "");
  }

  FineTuning wanted(const std::string& checkpoints, const std::string& rates, int64_t seeds = 1) const {
    return {.config = PLUMB_SOURCE_DIR "/configs/task/number_pairs.toml",
            .from = (folder_ / "bert").string(),
            .checkpoints = checkpoints,
            .set = {"threads=1"},
            .grid = {"optim.lr=" + rates},
            .seeds = seeds};
  }
  FineTuned tune(const FineTuning& wanted) const {
    return finetune(wanted, {.out = folder_ / "out", .cores = 2, .quiet = true, .plumb = folder_ / "plumb"});
  }
  std::string error(const FineTuning& wanted) const {
    try {
      tune(wanted);
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.exit_code())) + " " + error.what();
    }
    return "";
  }
  size_t starts(const std::string& word) const {
    std::ifstream in(folder_ / "starts");
    size_t count = 0;
    for (std::string line; std::getline(in, line);) count += line.starts_with(word);
    return count;
  }
  size_t folders() const {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) count += entry.is_directory();
    return count;
  }

  TemporaryDirectory folder_;
};

TEST_F(FineTune, GoesOverCheckpointsGridAndSeedsOnce) {
  const FineTuning all = wanted("60,last", "1.0,2.0", 2);
  const FineTuned tuned = tune(all);
  EXPECT_EQ(tuned.metric, "accuracy");
  EXPECT_EQ(tuned.majority, 50);
  ASSERT_EQ(tuned.arms.size(), 4u);
  EXPECT_EQ(tuned.arms[0].checkpoint, "60");
  EXPECT_THAT(tuned.arms[0].settings, ElementsAre("optim.lr=1.0"));
  EXPECT_THAT(tuned.arms[0].scores, ElementsAre(11, 12));
  EXPECT_EQ(tuned.arms[3].checkpoint, "120");
  EXPECT_THAT(tuned.arms[3].scores, ElementsAre(21, 22));
  ASSERT_EQ(tuned.runs.size(), 8u);
  EXPECT_EQ(tuned.runs[1].at("seed"), 2);
  EXPECT_EQ(tuned.runs[0].at("valid"), nlohmann::json({{"loss", 0.5}, {"accuracy", 11}, {"accuracy.majority", 50}}));
  EXPECT_FALSE(tuned.runs[0].contains("test"));
  EXPECT_EQ(folders(), 8u);
  EXPECT_TRUE(fs::exists(folder_ / "out/60-optim.lr=1.0-seed2/result.json"));
  EXPECT_EQ(starts("train"), 8u);
  EXPECT_EQ(starts("evaluate"), 8u);
  EXPECT_EQ(tune(all).runs, tuned.runs);
  EXPECT_EQ(starts("train"), 8u);
  EXPECT_EQ(starts("evaluate"), 8u);
}

TEST_F(FineTune, AFolderHoldsRunsOfSeveralCalls) {
  tune(wanted("60", "1.0", 2));
  EXPECT_EQ(tune(wanted("120", "1.0,2.0")).arms.size(), 2u);
  EXPECT_EQ(tune(wanted("60", "1.0")).arms[0].scores.size(), 1u);
  EXPECT_EQ(folders(), 4u);
  EXPECT_EQ(starts("train"), 4u);
}

TEST_F(FineTune, ACheckpointThatIsAskedForTwiceIsOne) {
  EXPECT_EQ(tune(wanted("best,60", "1.0")).arms.size(), 1u);
  EXPECT_EQ(tune(wanted("all", "1.0")).arms.size(), 2u);
}

TEST_F(FineTune, WhatItIsGivenComesBeforeTheGrid) {
  FineTuning both = wanted("60", "2.0");
  both.set.insert(both.set.end(), {"optim.lr=1.0", "seed=7"});
  EXPECT_THAT(tune(both).arms[0].scores, ElementsAre(21));
}

TEST_F(FineTune, TheTestSetIsEvaluatedWhereThereIsOne) {
  write_all(folder_ / "starts.test", "");
  const FineTuned tuned = tune(wanted("60", "1.0"));
  EXPECT_EQ(tuned.runs[0].at("test").at("accuracy"), 11);
  EXPECT_EQ(starts("evaluate"), 2u);
}

TEST_F(FineTune, FailuresCountWithWhatTheyReached) {
  const FineTuned tuned = tune(wanted("60", "9.0,8.0"));
  EXPECT_EQ(tuned.arms[0].failed, 1);
  EXPECT_TRUE(tuned.arms[0].scores.empty());
  EXPECT_EQ(tuned.runs[0].at("outcome"), "diverged");
  EXPECT_EQ(tuned.arms[1].failed, 1);
  EXPECT_THAT(tuned.arms[1].scores, ElementsAre(81));
  const std::string text = finetune_text(tuned);
  EXPECT_THAT(text, HasSubstr("60          optim.lr=9.0      0         -              -          -       1"));
  EXPECT_THAT(text, HasSubstr("60          optim.lr=8.0      1     81.00              -       0.00       1"));
}

TEST_F(FineTune, WhatCannotBeDoneHasItsOwnExitCode) {
  EXPECT_EQ(error(wanted("60", "7.0")), "4 60-optim.lr=7.0-seed1: the disk is on fire");
  EXPECT_EQ(starts("train"), 2u);  // twice
}

TEST_F(FineTune, ARunWithAnotherConfigOrOnOtherDataIsNotTaken) {
  FineTuning one = wanted("60", "1.0");
  tune(one);
  const std::vector<std::string> overrides = {"threads=1", "train.pretrained=" + one.from + "@60", "optim.lr=1.0",
                                              "seed=1"};
  Config config = load_config(one.config, overrides);
  config.model.source_vocab = config.model.target_vocab = 77;  // as the data has it
  write_all(folder_ / "out/60-optim.lr=1.0-seed1/config.toml", to_toml(config));
  EXPECT_EQ(error(one), "");
  one.set = {"threads=2"};  // the same numbers
  EXPECT_EQ(error(one), "");
  write_all(folder_ / "starts.changed", "");
  fs::remove(folder_ / "out/data.json");
  EXPECT_THAT(error(one), HasSubstr("2 " + (folder_ / "out/60-optim.lr=1.0-seed1").string()));
  EXPECT_THAT(error(one), HasSubstr("holds a run on other data"));
  one.set = {"optim.clip_norm=3"};
  EXPECT_THAT(error(one), HasSubstr("holds a run with another config (optim.clip_norm was"));
  EXPECT_EQ(starts("train"), 1u);
}

TEST_F(FineTune, MistakesAreSaidBeforeAnythingIsTrained) {
  EXPECT_THAT(error(wanted("70", "1.0")), HasSubstr("2 --checkpoint: there is no checkpoint 70"));
  EXPECT_THAT(error(wanted("60", "1.0,1.0")), HasSubstr("a value of optim.lr twice"));
  FineTuning one = wanted("60", "1.0");
  one.grid = {"optim.lr"};
  EXPECT_THAT(error(one), HasSubstr("2 --grid: 'optim.lr' has no values"));
  one.grid = {"optim.rate=1"};
  EXPECT_THAT(error(one), HasSubstr("optim.rate"));
  EXPECT_EQ(starts(""), 0u);
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

}  // namespace
}  // namespace plumb::sweep
