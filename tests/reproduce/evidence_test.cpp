#include "plumb/reproduce/evidence.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb::reproduce {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kStarted[] = R"({"type":"event","update":0,"event":"started","unigram_entropy":3.2})";

TEST(MeasuredRun, HasTheBestAndTheLastLossAndTheirCourse) {
  const TemporaryDirectory folder;
  write_all(folder / "log.jsonl", std::string(kStarted) + R"(
{"type":"train","update":100,"loss":1.5,"nll":1.5}
{"type":"valid","update":50,"epoch":0,"loss":2.5,"nll":2.0,"ppl":7.4}
{"type":"valid","update":100,"epoch":0,"loss":2.0,"nll":1.0,"ppl":2.7}
{"type":"valid","update":150,"epoch":0,"loss":2.2,"nll":1.2,"ppl":3.3}
{"type":"event","update":150,"event":"ended","outcome":"finished"}
)");
  const MeasuredRun run = measured_run(folder.path(), "a");
  EXPECT_EQ(run.arm, "a");
  EXPECT_EQ(run.outcome, RunState::Finished);
  EXPECT_EQ(run.numbers.at("loss"), 1.0);  // without the smoothing that `loss` has
  EXPECT_EQ(run.numbers.at("last_loss"), 1.2);
  EXPECT_EQ(run.numbers.at("entropy"), 3.2);
  EXPECT_THAT(run.course, ElementsAre(Pair(50, 2.0), Pair(100, 1.0), Pair(150, 1.2)));
}

TEST(MeasuredRun, ThatDivergedHasNoFiniteLossWhateverItHadReached) {
  const TemporaryDirectory folder;
  write_all(folder / "log.jsonl", std::string(kStarted) + R"(
{"type":"valid","update":50,"epoch":0,"loss":0.5,"nll":0.5,"ppl":1.6}
{"type":"event","update":60,"event":"diverged"}
{"type":"event","update":60,"event":"ended","outcome":"diverged"}
)");
  const MeasuredRun run = measured_run(folder.path(), "a");
  EXPECT_EQ(run.outcome, RunState::Diverged);
  for (const char* name : {"loss", "last_loss", "train_loss", "ppl"})
    EXPECT_TRUE(std::isinf(run.numbers.at(name))) << name;
}

TEST(MeasuredCurves, KeepLabelsAndPlaces) {
  const TemporaryDirectory folder;
  const auto file = folder / "probe.jsonl";
  write_all(file, R"({"type":"subject","variant":"x"}
{"type":"reading","probe":"p","number":"n","variant":"x","value":1}
{"type":"curve","probe":"p","number":"n","variant":"x","stack":"decoder","axis":"layer","at":[1,2],"mean":[3,"NaN"],"seeds":2}
)");
  const std::vector<MeasuredCurve> curves = measured_curves(file, "");
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].of, "x");
  EXPECT_THAT(curves[0].labels, ElementsAre(Pair("stack", "decoder")));
  EXPECT_THAT(curves[0].at, ElementsAre(1, 2));
  EXPECT_EQ(curves[0].mean[0], 3);
  EXPECT_TRUE(std::isnan(curves[0].mean[1]));
  EXPECT_EQ(measured_curves(file, "mine")[0].of, "mine");
}

TEST(MeasuredCurves, ADamagedFileIsNoVerdict) {
  const TemporaryDirectory folder;
  write_all(folder / "probe.jsonl", "{\"type\":\"curve\"}\n");
  EXPECT_THROW(measured_curves(folder / "probe.jsonl", ""), DamagedFile);
  EXPECT_THROW(measured_curves(folder / "absent.jsonl", ""), UserError);
}

}  // namespace
}  // namespace plumb::reproduce
