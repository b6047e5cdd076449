// The runner with an engine that costs nothing: a script that writes the logs of runs.

#include "plumb/sweep/run_all.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "plumb/base/directory_lock.h"
#include "plumb/base/error.h"
#include "plumb/process/signals.h"
#include "plumb/sweep/read_sweep.h"
#include "plumb/sweep/results_text.h"

#include "support/temporary_directory.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// optim.lr decides what becomes of a run: 9 diverges, 8 never works, 7 works at the second try, 6 never ends, 5 trains
// and 4 diverges before the process dies, else the loss is lr + seed. Every start leaves a line in `starts`. Files
// beside it decide about the data: starts.broken, starts.slow, starts.no_test, starts.changed.
constexpr char kEngine[] = R"(#!/bin/sh
command=$1; lr=1; seed=1; out=; average=unsaid
while [ $# -gt 0 ]; do
  case $1 in
    --set) case $2 in optim.lr=*) lr=${2#optim.lr=};; seed=*) seed=${2#seed=};; esac; shift;;
    --out) out=$2; shift;;
    --outputs) outputs=$2; shift;;
    --average) average=$2; shift;;
  esac
  shift
done
if [ $command = prepare ]; then
  echo prepare >> $STARTS
  if [ -e $STARTS.broken ]; then echo 'plumb: data.train_source: there is no such file' >&2; exit 2; fi
  if [ -e $STARTS.slow ]; then sleep 1.5; fi
  printf 'one\ntwo\n' > $STARTS.ref
  side='{"text":"","tokens":""}'; empty="{\"source\":$side,\"target\":$side}"; files='{"model":"","codes":"","dict":""}'
  lines="{\"text\":\"$STARTS.ref\",\"tokens\":\"\"}"; test="{\"source\":$lines,\"target\":$lines}"
  if [ -e $STARTS.no_test ]; then test=$empty; fi
  fingerprint=a; if [ -e $STARTS.changed ]; then fingerprint=b; fi
  echo "{\"source_tokenizer\":$files,\"target_tokenizer\":$files,\"source_vocab\":1,\"target_vocab\":1,\"source_rate\":0,\"train\":$empty,\"valid\":$empty,\"test\":$test,\"fingerprint\":\"$fingerprint\"}"
  exit 0
fi
if [ $command = evaluate ]; then
  echo "evaluate average $average" >> $STARTS
  printf 'one\nthree\n' > $outputs
  if [ $average = 1 ]; then echo '{"split":"test","loss":0.5,"exact":50.0}'; fi  # as before there were averages
  if [ $average != 1 ]; then echo "{\"split\":\"test\",\"average\":$average,\"loss\":0.4,\"exact\":60.0}"; fi
  exit 0
fi
echo "train $out" >> $STARTS
log() { echo "$1" >> $out/log.jsonl; }
log '{"type":"event","event":"started","update":0,"parameters":5}'
case $lr in
  4.0) log '{"type":"event","event":"ended","update":3,"outcome":"diverged"}'; kill -9 $$;;
  9.0) log '{"type":"event","event":"diverged","update":3,"reason":"boom"}'
     log '{"type":"event","event":"ended","update":3,"outcome":"diverged"}'; exit 5;;
  8.0) echo 'plumb: the disk is on fire' >&2; exit 4;;
  7.0) if [ ! -e $out/tried ]; then touch $out/tried; exit 1; fi;;
  6.0) trap 'log "{\"type\":\"event\",\"event\":\"ended\",\"update\":4,\"outcome\":\"interrupted\"}"; exit 143' TERM INT
     touch $out/running
     while true; do sleep 0.05; done;;
esac
log "{\"type\":\"valid\",\"update\":10,\"loss\":${lr%.*}$seed,\"nll\":1,\"ppl\":1}"
log '{"type":"event","event":"ended","update":10,"outcome":"finished"}'
if [ $lr = 5.0 ]; then kill -9 $$; fi
)";

class RunAll : public ::testing::Test {
 protected:
  RunAll() {
    write_all(folder_ / "plumb", kEngine);
    fs::permissions(folder_ / "plumb", fs::perms::owner_all);
    ::setenv("STARTS", (folder_ / "starts").c_str(), 1);
  }

  Sweep sweep(const std::string& rates, const std::string& more = "") {
    write_all(folder_ / "s.toml", "config = \"" PLUMB_SOURCE_DIR "/configs/task/numbers.toml\"\n" + more +
                                      "\n[grid]\noptim.lr = " + rates + "\n");
    return read_sweep(folder_ / "s.toml");
  }
  RunOptions options() const { return {.out = folder_ / "out", .cores = 2, .quiet = true, .plumb = folder_ / "plumb"}; }
  SweepResults run(const Sweep& sweep) const { return run_all(sweep, options()); }
  void data_is(const std::string& how) const { write_all(folder_ / ("starts." + how), ""); }
  size_t starts(const std::string& word) const {
    std::ifstream in(folder_ / "starts");
    size_t count = 0;
    for (std::string line; std::getline(in, line);) count += line.find(word) != std::string::npos;
    return count;
  }
  // What is wrong with it; all that can be is the user's to mend.
  std::string error(const Sweep& sweep) const {
    try {
      run(sweep);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), Exit::UserInput) << error.what();
      return error.what();
    }
    return "";
  }

  TemporaryDirectory folder_;
};

TEST_F(RunAll, TestsAgainWhatHasNoScoreOfTheMetricThatIsAskedForNow) {
  run(sweep("[1.0]", "test = true"));
  EXPECT_EQ(starts("evaluate"), 1);
  run(sweep("[1.0]", "test = \"exact\"\nmetric = \"test.exact\""));  // the first had it
  EXPECT_EQ(starts("evaluate"), 1);
  const SweepResults results =
      run(sweep("[1.0]", "test = \"chrf\"\nmetric = \"test.chrf\""));  // this engine never has it
  EXPECT_EQ(starts("evaluate"), 3);
  EXPECT_EQ(results.runs.front().outcome(), "failed");
}

TEST_F(RunAll, GivesTheMeanAndDeviationOfEveryArm) {
  const SweepResults results = run(sweep("[1.0, 2.0]", "seeds = [1, 3]"));
  ASSERT_EQ(results.arms.size(), 2);
  EXPECT_EQ(results.arms[0].finished, 2);
  EXPECT_EQ(*results.arms[0].mean, 12);  // 11 and 13
  EXPECT_NEAR(*results.arms[0].deviation, std::sqrt(2), 1e-12);
  EXPECT_EQ(*results.find("lr=2.0")->mean, 22);
  EXPECT_EQ(results.best(), &results.arms[0]);
  EXPECT_TRUE(results.complete());
  EXPECT_EQ(starts("train"), 4);
  EXPECT_EQ(starts("prepare"), 2);  // once a seed, whatever the learning rate
}

TEST_F(RunAll, WhatIsDoneIsNotDoneAgainAndSeedsCanBeAdded) {
  run(sweep("[1.0, 9.0]"));
  EXPECT_EQ(starts("train"), 2);
  run(sweep("[1.0, 9.0]"));
  EXPECT_EQ(starts("train"), 2);
  const SweepResults more = run(sweep("[1.0, 9.0, 2.0]", "seeds = 2"));
  EXPECT_EQ(starts("train"), 6);
  EXPECT_EQ(more.runs.size(), 6);
}

TEST_F(RunAll, AFailureIsNeverLeftOutOfAMean) {
  const SweepResults results = run(sweep("[1.0, 9.0, 8.0]", "seeds = 2\nbaseline = \"lr=1.0\""));
  const ArmResult &diverged = *results.find("lr=9.0"), &broken = *results.find("lr=8.0");
  EXPECT_EQ(diverged.failed, 2);
  EXPECT_FALSE(diverged.mean || diverged.deviation);
  EXPECT_EQ(diverged.outcomes.at("diverged"), 2);
  EXPECT_EQ(broken.failed, 2);
  EXPECT_EQ(results.runs[2].error, "the disk is on fire");
  EXPECT_EQ(starts("train"), 2 + 2 + 4);  // the broken ones twice each
  for (const ArmComparison& pair : results.comparisons) EXPECT_EQ(pair.difference.pairs, 0);
  const std::string text = results_text(results, false);
  EXPECT_THAT(text, HasSubstr("failed 2 of 2"));
  EXPECT_THAT(text, HasSubstr("2 diverged at update 3"));
  EXPECT_THAT(text, HasSubstr("could not be done: the disk is on fire"));
}

TEST_F(RunAll, OneFailureAmongSeedsTakesTheMeanAway) {
  const Sweep plan = sweep("[1.0]", "seeds = 3");
  run(plan);
  write_all(folder_ / "out/lr=1.0/seed2/log.jsonl",
            "{\"type\":\"event\",\"event\":\"started\",\"update\":0}\n"
            "{\"type\":\"event\",\"event\":\"ended\",\"update\":4,\"outcome\":\"stuck\"}\n");
  const SweepResults results = read_results(plan, folder_ / "out");
  EXPECT_EQ(results.arms[0].failed, 1);
  EXPECT_EQ(results.arms[0].finished, 2);
  EXPECT_FALSE(results.arms[0].mean);
  EXPECT_THAT(arms_text(results, false), HasSubstr("failed 1 of 3"));
}

TEST_F(RunAll, AProcessThatFailsIsStartedOnceMore) {
  const SweepResults results = run(sweep("[7.0]"));
  EXPECT_EQ(*results.arms[0].mean, 71);
  EXPECT_EQ(starts("train"), 2);
}

TEST_F(RunAll, WhatFailedIsTriedAgainByTheNextCall) {
  run(sweep("[8.0]"));
  run(sweep("[8.0]"));
  EXPECT_EQ(starts("train"), 4);
}

TEST_F(RunAll, EqualArmsHaveADifferenceOfZero) {
  write_all(folder_ / "aa.toml", "config = \"" PLUMB_SOURCE_DIR
                                 "/configs/task/numbers.toml\"\nseeds = 3\nbaseline = \"a\"\n"
                                 "[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n");
  const SweepResults results = run(read_sweep(folder_ / "aa.toml"));
  ASSERT_EQ(results.comparisons.size(), 1);
  const PairedDifference& d = results.comparisons[0].difference;
  EXPECT_EQ(d.pairs, 3);
  EXPECT_EQ(d.mean, 0);
  EXPECT_TRUE(d.interval_has_zero());
  EXPECT_THAT(comparisons_text(results), HasSubstr("equal in 3 of 3"));
  EXPECT_THAT(comparisons_text(results), HasSubstr("at most 75 %"));
}

TEST_F(RunAll, OneSeedHasNoInterval) {
  const SweepResults results = run(sweep("[1.0, 2.0]", "baseline = \"lr=1.0\""));
  EXPECT_EQ(results.comparisons[0].difference.mean, 10);
  EXPECT_THAT(comparisons_text(results), HasSubstr("one seed: no interval"));
}

TEST_F(RunAll, TrainedRunsAreTestedAndTheirOutputsCompared) {
  const SweepResults results =
      run(sweep("[1.0, 2.0, 9.0]", "metric = \"test.exact\"\ntest = \"exact\"\nbaseline = \"lr=1.0\""));
  EXPECT_EQ(starts("evaluate"), 2);  // not the one that diverged
  EXPECT_EQ(*results.find("lr=1.0")->mean, 50);
  EXPECT_EQ(results.find("lr=9.0")->failed, 1);
  ASSERT_EQ(results.comparisons.size(), 2);
  ASSERT_TRUE(results.comparisons[0].test);
  EXPECT_EQ(results.comparisons[0].test->score, 50);
  EXPECT_EQ(results.comparisons[0].test->p_value, 1);
  EXPECT_FALSE(results.comparisons[1].test);
}

TEST_F(RunAll, ASweepThatWasAnotherOneIsRefused) {
  run(sweep("[1.0, 2.0]", "seeds = 2"));
  EXPECT_THAT(error(sweep("[1.0]", "seeds = 2")), HasSubstr("another arm (lr=2.0)"));
  EXPECT_THAT(error(sweep("[1.0, 2.0]")), HasSubstr("another seed (2)"));
  EXPECT_THAT(error(sweep("[1.0, 2.0]", "seeds = 2\n[set]\nmodel.dropout = 0.5")),
              HasSubstr("arm lr=1.0 was another one (model.dropout was 0.0, is 0.5)"));
  EXPECT_EQ(starts("train"), 4);
}

TEST_F(RunAll, AFolderThatIsNoSweepIsRefused) {
  fs::create_directories(folder_ / "out");
  write_all(folder_ / "out/precious", "x");
  EXPECT_THAT(error(sweep("[1.0]")), HasSubstr("is no sweep"));
  EXPECT_EQ(starts("train"), 0);
}

TEST_F(RunAll, AFileInPlaceOfTheFolderIsRefused) {
  write_all(folder_ / "out", "x");
  EXPECT_THAT(error(sweep("[1.0]")), HasSubstr("is no directory"));
  EXPECT_EQ(read_all(folder_ / "out"), "x");
}

TEST_F(RunAll, NothingIsKeptOfASweepWhoseDataIsMissing) {
  data_is("broken");
  EXPECT_THAT(error(sweep("[1.0]", "[set]\ndata.train_source = \"wrong\"")), HasSubstr("there is no such file"));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  fs::remove(folder_ / "starts.broken");
  EXPECT_EQ(error(sweep("[1.0]")), "");
  EXPECT_EQ(starts("train"), 1);
}

TEST_F(RunAll, AnArmWhoseDataIsMissingIsNotAddedToASweep) {
  run(sweep("[1.0]"));
  data_is("broken");
  EXPECT_THAT(error(sweep("[1.0, 2.0]")), HasSubstr("there is no such file"));
  EXPECT_EQ(error(sweep("[1.0]")), "");  // what it was it is still: nothing is left to do
  EXPECT_FALSE(fs::exists(folder_ / "out/lr=2.0"));
}

TEST_F(RunAll, AMissingTestSetIsFoundBeforeTheTraining) {
  data_is("no_test");
  EXPECT_THAT(error(sweep("[1.0]", "test = true")), HasSubstr("s.toml test: the data has no test set"));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_EQ(error(sweep("[1.0]")), "");
  EXPECT_EQ(starts("train"), 1);
}

TEST_F(RunAll, RunsOnOtherTextsAreNotAddedToASweep) {
  run(sweep("[1.0]"));
  data_is("changed");
  EXPECT_THAT(error(sweep("[1.0, 2.0]")), HasSubstr("the data of arm lr=2.0 has changed since the first runs"));
  EXPECT_FALSE(fs::exists(folder_ / "out/lr=2.0"));
  EXPECT_EQ(error(sweep("[1.0]")), "");  // nothing is left to do
  fs::remove(folder_ / "starts.changed");
  EXPECT_EQ(error(sweep("[1.0, 2.0]")), "");
}

TEST_F(RunAll, SeedsReadTheSameFilesAndTheirOwnBuiltInData) {
  std::string files = "\n[set]\ndata.corpus = \"text\"\n";
  for (const std::string name : {"train_source", "train_target", "valid_source", "valid_target"}) {
    files += "data." + name + " = \"x\"\n";
  }
  run(sweep("[1.0]", "seeds = 2" + files));
  EXPECT_EQ(starts("prepare"), 1);
  data_is("changed");
  EXPECT_THAT(error(sweep("[1.0]", "seeds = 3" + files)), HasSubstr("has changed"));
  fs::remove_all(folder_ / "out");
  run(sweep("[1.0]", "seeds = 2"));
  EXPECT_EQ(starts("prepare"), 4);
}

TEST_F(RunAll, SaysSoWhenTheDataTakesLong) {
  RunOptions loud = options();
  loud.quiet = false;
  data_is("slow");
  ::testing::internal::CaptureStderr();
  run_all(sweep("[1.0, 2.0]"), loud);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("preparing the data\n"));
}

TEST_F(RunAll, ModelsOfAnotherFormMayHaveAnotherTaskAndOtherData) {
  write_all(folder_ / "forms.toml",
            "config = \"base.toml\"\n[[arm]]\nname = \"pairs\"\n[[arm]]\nname = \"text\"\n"
            "model.form = \"decoder\"\n[[arm]]\nname = \"wide\"\nmodel.width = 128\n");
  write_all(folder_ / "base.toml", "[train]\nmax_update = 7\n");
  run(read_sweep(folder_ / "forms.toml"));
  EXPECT_EQ(starts("prepare"), 2);
}

TEST_F(RunAll, ARunWithMoreThreadsThanThereAreCoresIsRefused) {
  EXPECT_THAT(error(sweep("[1.0]", "threads = 4")), HasSubstr("--cores: 2 cores cannot hold a run with threads = 4"));
  RunOptions of_file = options();
  of_file.cores = 0;
  EXPECT_THROW(run_all(sweep("[1.0]", "cores = 1\nthreads = 4"), of_file), UserError);
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_NO_THROW(run_all(sweep("[1.0]", "threads = 4096"), of_file));  // nobody has said how many cores
}

TEST_F(RunAll, AProcessThatDiesAfterItsRunHasEndedHasDoneIt) {
  const SweepResults results = run(sweep("[5.0, 4.0]"));
  EXPECT_EQ(*results.find("lr=5.0")->mean, 51);
  EXPECT_EQ(results.runs[1].outcome(), "diverged");
  EXPECT_EQ(starts("train"), 2);
  EXPECT_EQ(starts("evaluate"), 0);
  run(sweep("[5.0, 4.0]", "test = true"));
  EXPECT_EQ(starts("train"), 2);
  EXPECT_EQ(starts("evaluate"), 1);
}

TEST_F(RunAll, TestsTheAverageOfTheLastCheckpoints) {
  run(sweep("[1.0]", "test = true\nmetric = \"test.loss\""));
  EXPECT_EQ(starts("evaluate average 1"), 1);
  const Sweep averaged = sweep("[1.0]", "test = true\nmetric = \"test.loss\"\naverage = 4");
  EXPECT_EQ(*run(averaged).arms[0].mean, 0.4);  // what was tested was one checkpoint
  EXPECT_EQ(*run(averaged).arms[0].mean, 0.4);
  EXPECT_EQ(starts("evaluate average 4"), 1);
  EXPECT_EQ(*run(read_sweep(folder_ / "out/sweep.toml")).arms[0].mean, 0.4);
  EXPECT_EQ(*run(sweep("[1.0]", "test = true\nmetric = \"test.loss\"")).arms[0].mean, 0.5);
  EXPECT_EQ(starts("evaluate"), 3);
  EXPECT_EQ(starts("train"), 1);
}

TEST_F(RunAll, AKillBeforeTheFirstFileIsWholeIsNoReasonToRefuse) {
  fs::create_directories(folder_ / "out");
  write_all(folder_ / "out/.plumb-123-0.tmp", "name = ");
  EXPECT_EQ(error(sweep("[1.0]")), "");
  EXPECT_FALSE(fs::exists(folder_ / "out/.plumb-123-0.tmp"));
}

TEST_F(RunAll, TwoSweepsDoNotShareAFolder) {
  fs::create_directories(folder_ / "out");
  const FileDescriptor lock = lock_directory(folder_ / "out", "x");
  EXPECT_THAT(error(sweep("[1.0]")), HasSubstr("another process runs a sweep in it"));
}

TEST_F(RunAll, KeepsItsResultsAndItsPlan) {
  run(sweep("[1.0, 9.0]"));
  const nlohmann::json json = nlohmann::json::parse(read_all(folder_ / "out/sweep.json"));
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("complete"), true);
  EXPECT_EQ(json.at("arms")[0].at("mean"), 11);
  EXPECT_TRUE(json.at("arms")[1].at("mean").is_null());
  EXPECT_EQ(json.at("runs")[1].at("outcome"), "diverged");
  EXPECT_EQ(json.at("runs")[1].at("summary").at("failure").at("reason"), "boom");
  EXPECT_NO_THROW(run(read_sweep(folder_ / "out/sweep.toml")));
  EXPECT_EQ(starts("train"), 2);
}

// In a process of its own: it gets signals.
int status_after(int signal, const std::function<void()>& work, const fs::path& running) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGHUP, SIG_DFL);  // under nohup it would be ignored
    try {
      work();
    } catch (const Interrupted& interrupted) {
      ::_exit(100 + interrupted.signal);
    }
    ::_exit(0);
  }
  for (int i = 0; i < 1000 && !fs::exists(running); ++i) ::usleep(10'000);
  ::kill(pid, signal);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

TEST_F(RunAll, ASignalIsPassedOnAndTheRunIsNotDone) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {  // the engine saves at the first two alone
    const Sweep plan = sweep("[1.0, 6.0]");
    const fs::path running = folder_ / "out/lr=6.0/seed1/running";
    const int status = status_after(
        signal, [&] { run(plan); }, running);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 100 + signal);
    const SweepResults results = read_results(plan, folder_ / "out");
    EXPECT_EQ(results.runs[1].outcome(), "interrupted") << signal;
    EXPECT_FALSE(results.complete());
    EXPECT_THAT(arms_text(results, false), HasSubstr("1 of 1 to do"));
    fs::remove(running);
    fs::remove(running.parent_path() / "log.jsonl");
  }
}

TEST_F(RunAll, ItsRunsEndWithItWhenItIsKilled) {
  const Sweep plan = sweep("[6.0]");
  const int status = status_after(
      SIGKILL, [&] { run(plan); }, folder_ / "out/lr=6.0/seed1/running");
  EXPECT_TRUE(WIFSIGNALED(status));
  // The lock is free at once, and nothing is left that writes.
  EXPECT_NO_THROW(lock_directory(folder_ / "out", "x"));
  EXPECT_EQ(read_results(plan, folder_ / "out").runs[0].outcome(), "unfinished");
}

}  // namespace
}  // namespace plumb::sweep
