#include "plumb/reproduce/expectation_rule.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb::reproduce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

MeasuredRun run(const std::string& arm, int64_t seed, const std::string& outcome, double loss,
                std::vector<std::pair<int64_t, double>> course = {}) {
  return {.arm = arm,
          .seed = seed,
          .outcome = parse_state(outcome).value(),
          .numbers = {{"loss", loss}, {"entropy", 3.0}, {"bleu", 5.0}, {"test.bleu", 10 * loss}, {"test.wer", loss}},
          .course = std::move(course)};
}

// Two seeds each. Of b, one diverged; of c, both are stuck.
Measurements sample() {
  return {.runs = {run("a", 1, "finished", 1.0, {{100, 2.0}, {200, 1.0}}), run("a", 2, "finished", 2.0, {{100, 2.0}}),
                   run("b-w0", 1, "finished", 0.5), run("b-w0", 2, "diverged", kInfinity), run("c/x", 1, "stuck", 2.9),
                   run("c/x", 2, "stuck", 3.0)},
          .curves = {{"a", "depth_scaling", "last_ffn", {}, {1, 4, 16}, {8, 4, 2}},
                     {"a", "dependency", "own", {{"stack", "encoder"}}, {1, 2}, {0.5, 0.25}},
                     {"a", "dependency", "own", {{"stack", "decoder"}}, {1, 2}, {0.5, 0.5}},
                     {"a", "gradient_norm", "layer", {}, {1, 2, 3}, {1, std::nan(""), 2}}}};
}

RuleFinding judged(const std::string& rule) {
  return ExpectationRule(rule, "x.toml:1 rule").judge(sample());
}

std::string error_of(const std::string& rule) {
  try {
    judged(rule);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Rule, ComparesNumbersAsArithmeticSays) {
  for (const char* truth : {"1 < 2", "2 <= 2", "2 = 2", "3 >= 2.5", "3 > 2", "1 + 2 * 3 = 7", "(1 + 2) * 3 = 9",
                            "8 / 4 / 2 = 1", "2 - 3 - 4 = -5", "-(1 - 3) = 2", "1 < 2 < 3", "1.5e1 = 15", "abs(-2) = 2",
                            "ln(1) = 0", "log10(100) = 2", "1 in [-1, 1]", "-1 in [-1, 1]"}) {
    EXPECT_TRUE(judged(truth).held) << truth;
  }
  for (const char* lie :
       {"2 < 1", "2 < 2", "1 = 2", "1 < 3 < 2", "3 < 2 < 4", "1.01 in [-1, 1]", "0 / 0 = 0", "0 / 0 < 1"}) {
    EXPECT_FALSE(judged(lie).held) << lie;
  }
}

TEST(Rule, SaysWhatEveryRunOfAnArmCameTo) {
  EXPECT_TRUE(judged("outcome(c/x) in {stuck, diverged}").held);
  EXPECT_FALSE(judged("outcome(b-w0) in {finished}").held);  // one of the two is not
  EXPECT_FALSE(judged("outcome(b-w0) in {diverged}").held);
  EXPECT_TRUE(judged("outcome(*) in {finished, stuck, diverged}").held);
  EXPECT_EQ(judged("outcome(b-w0) in {finished}").shown, "finished, diverged");
}

TEST(Rule, UnderstandsTheWordOfOlderEntries) {
  EXPECT_TRUE(judged("outcome(a) in {trained}").held);
  EXPECT_FALSE(judged("outcome(c/x) in {trained}").held);
  EXPECT_TRUE(judged("trained(*) = 3").held);
}

TEST(Rule, CountsFailuresAsFailures) {
  EXPECT_TRUE(judged("failed(b-w0) = 1").held);
  EXPECT_TRUE(judged("finished(*) = 3").held);
  EXPECT_TRUE(judged("runs(*) = 6").held);
  EXPECT_TRUE(judged("learned(*) = 3").held);  // below 0.7 * 3.0: 1.0, 2.0 and 0.5
  EXPECT_TRUE(judged("learned(c/*) = 0").held);
}

TEST(Rule, NeverLeavesADivergedRunOutOfAMean) {
  EXPECT_FALSE(judged("mean(loss(b-w0)) < 1000000").held);
  EXPECT_TRUE(judged("mean(loss(a)) < mean(loss(b-w0))").held);
  EXPECT_EQ(judged("mean(loss(a)) < mean(loss(b-w0))").shown, "1.5 < inf");
  EXPECT_EQ(judged("mean(loss(b-w0)) < 2").shown, "inf not < 2");
}

TEST(Rule, ReducesListsAsTheClosedFormsSay) {
  EXPECT_TRUE(judged("mean(loss(a)) = 1.5").held);
  EXPECT_TRUE(judged("sd(loss(a)) * sd(loss(a)) in [0.4999, 0.5001]").held);
  EXPECT_TRUE(judged("min(loss(a)) = 1").held);
  EXPECT_TRUE(judged("max(loss(a)) = 2").held);
  EXPECT_TRUE(judged("count(loss(*)) = 6").held);
  EXPECT_TRUE(judged("first(loss(a)) = 1").held);
  EXPECT_TRUE(judged("last(loss(a)) = 2").held);
}

TEST(Rule, DoesNotPassOverWhatIsNoNumber) {
  for (const char* rule : {"max(curve(a, gradient_norm.layer)) < 3", "min(curve(a, gradient_norm.layer)) > 0",
                           "mean(curve(a, gradient_norm.layer)) < 3"}) {
    EXPECT_FALSE(judged(rule).held) << rule;
  }
}

TEST(Rule, KnowsWhenALossWasFirstReached) {
  EXPECT_TRUE(judged("min(updates_to(a, 1.0)) = 200").held);
  EXPECT_TRUE(judged("max(updates_to(a, 2.5)) = 100").held);
  EXPECT_EQ(judged("max(updates_to(a, 1.0)) < 300").shown, "inf not < 300");  // the second seed never comes there
}

TEST(Rule, TakesAFailedRunsTestAsTheWorstThereCanBe) {
  EXPECT_TRUE(judged("mean(test(a, bleu)) = 15").held);
  EXPECT_EQ(judged("mean(test(b-w0, bleu)) > 0").shown, "-inf not > 0");
  EXPECT_EQ(judged("max(test(c/x, wer)) < 100").shown, "inf not < 100");
  EXPECT_EQ(judged("mean(bleu(b-w0)) > 0").shown, "-inf not > 0");  // whatever it had before it diverged
  EXPECT_THAT(error_of("mean(test(a, rouge)) > 1"), HasSubstr("has no test.rouge"));
  EXPECT_THAT(error_of("mean(test(a)) > 1"), HasSubstr("test wants an arm and a metric"));
}

TEST(Rule, ReadsCurvesOfProbesByTheirLabels) {
  // 8, 4, 2 at 1, 4, 16: y = 8 x^-1/2 exactly.
  EXPECT_TRUE(judged("slope(curve(a, depth_scaling.last_ffn)) in [-0.500001, -0.499999]").held);
  EXPECT_TRUE(judged("at(curve(a, depth_scaling.last_ffn), 4) = 4").held);
  EXPECT_TRUE(
      judged("last(curve(a, dependency.own, stack=encoder)) < last(curve(a, dependency.own, stack=decoder))").held);
}

TEST(Rule, RefusesWhatItCannotJudge) {
  EXPECT_THAT(error_of("loss(A) < 1"), AllOf(HasSubstr("x.toml:1 rule"), HasSubstr("there is no run of A")));
  EXPECT_THAT(error_of("mean(chrf(a)) > 1"), HasSubstr("has no chrf"));
  EXPECT_THAT(error_of("loss(a) < 1"), HasSubstr("wants one number, not 2"));
  EXPECT_THAT(error_of("last(curve(a, dependency.own)) < 1"), HasSubstr("2 curves"));
  EXPECT_THAT(error_of("last(curve(z, dependency.own, stack=encoder)) < 1"), HasSubstr("no curves"));
  EXPECT_THAT(error_of("at(curve(a, depth_scaling.last_ffn), 5) = 4"), HasSubstr("It has 1, 4, 16"));
  EXPECT_THAT(error_of("sd(loss(b-w0)) / outcome(a) < 1"), HasSubstr("not outcomes"));
}

TEST(Rule, RefusesWhatIsNoRuleInOneLine) {
  for (const char* wrong :
       {"", "1", "1 <", "< 1", "mean(loss(a) < 1", "1 < 2)", "1 in {", "1 in [1, 2", "mean() < 1", "loss < 1",
        "mean(1, 2) < 3", "outcome(a) in {}", "1 < 2 in [1, 2]", "a b c", "loss() < 1"}) {
    EXPECT_THAT(error_of(wrong), HasSubstr("is not a rule")) << wrong;
    EXPECT_EQ(error_of(wrong).find('\n'), std::string::npos);
  }
  EXPECT_THAT(error_of(std::string(5000, '(') + "1"), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(std::string(5000, '-') + "1"), HasSubstr("nested too deeply"));
}

TEST(Pattern, MatchesAnyLettersAtAStar) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_TRUE(matches("post_ln*lr=1*", "post_ln lr=1e-4 betas=[0.9, 0.98]"));
  EXPECT_FALSE(matches("a*c", "abcd"));
  EXPECT_FALSE(matches("a", "ab"));
}

}  // namespace
}  // namespace plumb::reproduce
