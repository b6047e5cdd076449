#include "plumb/train/outcome_policy.h"

#include <limits>

#include <gtest/gtest.h>

#include "plumb/dist/one_worker.h"

#include "support/thread_workers.h"

namespace plumb {
namespace {

constexpr double kEntropy = 3;

TrainConfig patient() {
  TrainConfig train;
  train.max_update = 1000;
  train.nonfinite_steps = 2;
  train.patience = 2;
  train.stuck_updates = 500;
  return train;
}

Validation validation(double loss) {
  return {.loss = loss, .nll = loss, .targets = 10};
}

TEST(OutcomePolicy, EndsARunWhoseValidationsGetNoBetter) {
  const TrainConfig train = patient();
  OutcomePolicy policy(train, kEntropy);
  EXPECT_EQ(policy.best_update(), -1);
  EXPECT_FALSE(policy.after_validation(10, validation(2)));
  EXPECT_FALSE(policy.after_validation(20, validation(2)));
  EXPECT_FALSE(policy.after_validation(30, validation(1.9)));  // one better validation starts the count again
  EXPECT_FALSE(policy.after_validation(40, validation(1.95)));
  const std::optional<RunEnd> end = policy.after_validation(50, validation(1.92));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, RunOutcome::Finished);
  EXPECT_EQ(policy.best_update(), 30);
}

TEST(OutcomePolicy, EndsARunThatWentWrong) {
  const TrainConfig train = patient();
  OutcomePolicy policy(train, kEntropy);
  EXPECT_FALSE(policy.after_update(1, {.loss = 2.5}));
  EXPECT_FALSE(policy.after_update(2, {.applied = false}));
  EXPECT_EQ(policy.after_update(3, {.applied = false})->outcome, RunOutcome::Diverged);
  const std::optional<RunEnd> nan = policy.after_validation(4, validation(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(nan->outcome, RunOutcome::Diverged);
  EXPECT_EQ(nan->reason, "the validation loss is not finite");
}

TEST(OutcomePolicy, NeverCallsAValidationBestThatIsNotFinite) {
  const TrainConfig train = patient();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    OutcomePolicy policy(train, kEntropy);
    EXPECT_EQ(policy.after_validation(10, validation(bad))->outcome, RunOutcome::Diverged);
    EXPECT_EQ(policy.best_update(), -1);
    CheckpointState state{.position = {.update = 10}};
    policy.add_to(state);
    OutcomePolicy resumed(train, kEntropy);
    resumed.load(checkpoint_state_of(to_text(state), "x"));
    EXPECT_FALSE(resumed.after_validation(20, validation(2)));
    EXPECT_EQ(resumed.best_update(), 20);
  }
}

TEST(OutcomePolicy, EndsARunThatLearnsNothing) {
  const TrainConfig train = patient();
  OutcomePolicy policy(train, kEntropy);
  EXPECT_FALSE(policy.after_validation(499, validation(2.8)));
  EXPECT_EQ(policy.after_validation(500, validation(2.8))->outcome, RunOutcome::Stuck);
}

TEST(OutcomePolicy, GoesOnFromItsState) {
  const TrainConfig train = patient();
  OutcomePolicy before(train, kEntropy);
  before.after_update(1, {.applied = false});
  before.after_validation(10, validation(2));
  before.after_validation(20, validation(2.5));
  CheckpointState state{.position = {.update = 20}};
  before.add_to(state);
  EXPECT_EQ(state.position.update, 20);
  const CheckpointState kept = checkpoint_state_of(to_text(state), "x");
  for (const bool lost : {false, true}) {
    OutcomePolicy after(train, kEntropy);
    after.load(kept);
    EXPECT_EQ(after.best_update(), 10);
    const auto end = lost ? after.after_update(21, {.applied = false}) : after.after_validation(30, validation(2.1));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->outcome, lost ? RunOutcome::Diverged : RunOutcome::Finished);
  }
}

TEST(OutcomePolicy, IsAgreed) {
  OneWorker alone;
  EXPECT_FALSE(agreed(alone, {}));
  EXPECT_EQ(agreed(alone, RunEnd{RunOutcome::Finished})->outcome, RunOutcome::Finished);
  EXPECT_EQ(agreed(alone, RunEnd{RunOutcome::Stuck, "why"})->reason, "why");
  ThreadWorkers(3).run([](Workers& workers) {
    EXPECT_FALSE(agreed(workers, {}));
    // One has to stop: all do, as the same.
    std::optional<RunEnd> mine;
    if (workers.rank() == 2) mine = {RunOutcome::Stuck, "why"};
    if (workers.rank() == 1) mine = {RunOutcome::Finished, {}};
    const std::optional<RunEnd> end = agreed(workers, mine);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->outcome, RunOutcome::Stuck);
    EXPECT_EQ(end->reason, workers.rank() == 2 ? "why" : "another worker ended the run");
  });
}

}  // namespace
}  // namespace plumb
