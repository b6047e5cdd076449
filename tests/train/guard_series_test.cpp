// The guard over whole courses of a loss, with the default keys. The unigram entropy is 3.3 nats, as that of the runs
// whose courses these are: `tools/torture/guard_campaign.py` trains them.
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "plumb/train/guard.h"

namespace plumb {
namespace {

constexpr double kUnigram = 3.3;

using Course = std::function<double(int64_t update)>;

/// Between -1 and 1, without luck: two periods that have nothing to do with each other.
double wave(int64_t update) {
  const auto x = static_cast<double>(update);
  return 0.5 * (std::sin(1.7 * x) + std::sin(0.37 * x));
}

/// Falls from 4.4 to 0.1 nats like a run of tiny translations, with the noise of small batches.
double learning(int64_t update) {
  const double fall = 0.1 + 4.3 * std::exp(-static_cast<double>(update) / 120);
  return fall * (1 + 0.3 * wave(update));
}

/// `learning` until `start`, then `after` of the updates since then.
Course from(int64_t start, const std::function<double(double since)>& after, double noise = 0.05) {
  return [=](int64_t update) {
    if (update <= start) return learning(update);
    return after(static_cast<double>(update - start)) * (1 + noise * wave(update));
  };
}

struct Ending {
  int64_t update = 0;  // 0: healthy until the end
  std::string reason;
};

/// A run whose validations, if there are any, follow `valid`.
Ending watched(const Course& train, int64_t updates, int64_t every = 0, Course valid = {}) {
  if (!valid) valid = train;
  TrainConfig config;
  config.max_update = updates;
  Guard guard(config, kUnigram);
  Ending end;
  for (int64_t update = 1; update <= updates; ++update) {
    if (!guard.healthy(update, train(update), true, end.reason)) return {update, end.reason};
    if (every == 0 || (update % every != 0 && update != updates)) continue;
    if (!guard.near(update, valid(update), end.reason)) return {update, end.reason};
    guard.learning(update, valid(update), end.reason);
  }
  return end;
}

#define EXPECT_HEALTHY(...)                  \
  do {                                       \
    const Ending end = watched(__VA_ARGS__); \
    EXPECT_EQ(end.update, 0) << end.reason;  \
  } while (false)

TEST(GuardSeries, LetsNoisyRunsLearn) {
  EXPECT_HEALTHY(learning, 3000, 50);
  // Batches of one sentence: some are ten times as hard as others.
  EXPECT_HEALTHY([](int64_t u) { return learning(u) * (u % 97 == 0 ? 10 : 1 + 0.5 * wave(7 * u)); }, 3000, 50);
  // Dropout that keeps the training loss above the unigram entropy, while the validations fall.
  EXPECT_HEALTHY([](int64_t u) { return 3.6 + 0.6 * wave(u); }, 2000, 50, learning);
}

// One update with a hundred times the rate: from 0.1 to 9 nats, and after 60 updates below 1 again.
TEST(GuardSeries, LetsSpikesRecover) {
  const auto spike = [](double since) { return 0.1 + 9 * std::exp(-since / 15); };
  EXPECT_HEALTHY(from(1000, spike), 1300, 50);
  EXPECT_HEALTHY(from(1000, [&](double since) { return spike(std::fmod(since, 150)); }), 3000, 50);
  EXPECT_HEALTHY(from(1000, [](double since) { return since == 1 ? 1e6 : 0.1; }), 1300, 10);
  // It takes three hundred updates for the last of it.
  EXPECT_HEALTHY(
      from(1000, [](double since) { return 1.5 + 4 * std::exp(-since / 25) + 1.5 * std::exp(-since / 150); }), 1500,
      50);
}

// Deep Post-LN in its warm-up: two hundred updates near the unigram entropy, and on it goes.
TEST(GuardSeries, LetsAHighRateRecover) {
  const auto course = [](int64_t u) {
    const auto x = static_cast<double>(u);
    if (u <= 370) return 2.4 + 1.9 * std::exp(-x / 90);
    if (u <= 570) return 3.05 - 0.0007 * (x - 370);
    return 2.4;
  };
  EXPECT_HEALTHY(course, 1000, 50);
}

TEST(GuardSeries, LetsARunOverfit) {
  EXPECT_HEALTHY(learning, 3000, 50, [](int64_t u) { return u < 300 ? learning(u) : 0.004 * static_cast<double>(u); });
}

TEST(GuardSeries, LetsARunHaveAHigherPlateau) {
  EXPECT_HEALTHY(from(1200, [](double since) { return 1.2 + 3 * std::exp(-since / 20); }), 2000, 50);  // x30, Pre-LN
  EXPECT_HEALTHY(from(300, [](double) { return 0.9; }), 1000, 50);                                     // x10
  EXPECT_HEALTHY(from(300, [](double since) { return 0.4 + 0.001 * since; }), 2000, 50);  // drifts up to 2.1
}

// Learning rate x100 at update 300: 6 nats, then the unigram level for as long as it lasts.
TEST(GuardSeries, EndsARunThatFellBackToTheUnigramLevel) {
  const Course course = from(300, [](double since) { return 3.45 + 3 * std::exp(-since / 30); });
  Ending end = watched(course, 2000);
  EXPECT_GT(end.update, 300);
  EXPECT_LE(end.update, 650);
  EXPECT_NE(end.reason.find("the loss is back at 3."), std::string::npos) << end.reason;
  end = watched(course, 2000, 50);
  EXPECT_GT(end.update, 300);
  EXPECT_LE(end.update, 550);  // the validations agree
  EXPECT_NE(end.reason.find("the validation loss is 3."), std::string::npos) << end.reason;
  EXPECT_EQ(watched(course, 2000, 50, learning).update, watched(course, 2000).update);  // these do not
  EXPECT_EQ(watched(course, 450, 100).update, 450);  // the last validation: it can no longer come back
  EXPECT_EQ(watched(course, 600, 100).update, 500);
}

// A mean over the whole window would still contain the early fall, and would never have been below.
TEST(GuardSeries, EndsARunThatDivergesSoon) {
  const auto course = [](int64_t u) {
    const double loss = u <= 300 ? 0.68 + 1.3 * std::exp(-static_cast<double>(u) / 70) : 1.2;  // times the entropy
    return kUnigram * loss * (1 + 0.05 * wave(u));
  };
  const Ending end = watched(course, 600, 50);
  EXPECT_GT(end.update, 300);
  EXPECT_LE(end.update, 500);
}

TEST(GuardSeries, EndsARunThatFellToJustBelowTheUnigramLevel) {
  EXPECT_NE(watched(from(400, [](double) { return 0.98 * kUnigram; }), 2000, 50).update, 0);
  EXPECT_NE(watched(from(400, [](double) { return 0.9 * kUnigram; }), 2000, 50).update, 0);
}

TEST(GuardSeries, EndsARunAfterAJumpThatStays) {
  const Ending end = watched(from(1200, [](double since) { return 3.35 + 4 * std::exp(-since / 10); }), 2000);
  EXPECT_GT(end.update, 1200);
  EXPECT_LE(end.update, 1310);
  EXPECT_NE(end.reason.find("jumped to 3."), std::string::npos) << end.reason;
}

TEST(GuardSeries, EndsARunThatDriftsAway) {
  const Ending end = watched(from(300, [](double since) { return 0.5 + 0.004 * since; }), 3000, 500);
  EXPECT_GT(end.update, 800);  // 2.7 nats
  EXPECT_LE(end.update, 1300);
}

TEST(GuardSeries, EndsARunThatIsHugeFromTheStart) {
  const auto course = [](int64_t u) { return u == 1 ? 4.4 : 150 + 50 * wave(u); };
  EXPECT_EQ(watched(course, 600).update, 11);
  EXPECT_LE(watched([](int64_t u) { return u == 1 ? 4.4 : 15 + 3 * wave(u); }, 600).update, 105);
}

// Never below the unigram entropy: that is what `stuck_updates` is for.
TEST(GuardSeries, DoesNotCallAStuckRunDiverged) {
  EXPECT_HEALTHY([](int64_t u) { return 3.4 + 0.4 * wave(u); }, 3000, 50);
}

TEST(GuardSeries, IsTurnedOffByABandOfNoWidth) {
  TrainConfig config;
  config.band_sigmas = 0;
  Guard guard(config, kUnigram);
  std::string reason;
  const Course course = from(300, [](double) { return 400; });
  for (int64_t update = 1; update <= 900; ++update) {
    ASSERT_TRUE(guard.healthy(update, course(update), true, reason)) << reason;
    ASSERT_TRUE(guard.near(update, course(update), reason)) << reason;
  }
}

// Wherever a run is interrupted, it ends at the same update.
TEST(GuardSeries, EndsTheSameAfterResumptions) {
  const Course course = from(300, [](double since) { return 3.45 + 3 * std::exp(-since / 30); });
  const TrainConfig config;
  std::string reason;
  Guard whole(config, kUnigram);
  int64_t update = 1;
  auto resumed = std::make_unique<Guard>(config, kUnigram);
  for (; whole.healthy(update, course(update), true, reason); ++update) {
    ASSERT_TRUE(resumed->healthy(update, course(update), true, reason)) << update;
    const nlohmann::json kept = nlohmann::json::parse(resumed->state().dump());
    ASSERT_EQ(kept, whole.state());
    resumed = std::make_unique<Guard>(config, kUnigram);
    resumed->load(kept);
  }
  EXPECT_FALSE(resumed->healthy(update, course(update), true, reason));
}

// `--resume --allow-changes` with another text: what the run had reached on the old one says nothing.
TEST(GuardSeries, StartsAgainOnOtherData) {
  const TrainConfig config;
  std::string reason;
  Guard old(config, kUnigram);
  for (int64_t update = 1; update <= 1000; ++update) ASSERT_TRUE(old.healthy(update, learning(update), true, reason));
  Guard other(config, 6);
  other.load(nlohmann::json::parse(old.state().dump()));
  for (int64_t update = 1001; update <= 2000; ++update) {
    ASSERT_TRUE(other.healthy(update, 6.2, true, reason)) << update << ": " << reason;
  }
}

}  // namespace
}  // namespace plumb
