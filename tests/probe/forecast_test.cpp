#include "plumb/probe/forecast.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "plumb/probe/thresholds.h"

namespace plumb::probe {
namespace {

/// Findings as if they had been measured: the smallest relative gradient of the decoder, and the shift per unit of lr.
Findings made_up(double smallest, double shift_per_rate, double lr, int64_t warmup, double factor = 0.9) {
  Findings findings{"made_up", {}, {}};
  findings.config.model.variant = "post_ln";
  findings.config.optim.lr = lr;
  findings.config.schedule.name = "constant";
  findings.config.schedule.warmup_updates = warmup;
  Readings gradients, steps;
  for (const char* stack : {"encoder", "decoder"}) {
    gradients.add("smallest", {{"stack", stack}}, stack[0] == 'd' ? smallest : 0.9);
    gradients.add("factor", {{"stack", stack}}, factor);
  }
  steps.add("shift", {}, "rate", 1e-6, 1e-6 * shift_per_rate);
  steps.add("shift", {}, "rate", 1e-1, 1.2);  // saturated: not what the rule looks at
  steps.add("rate_best", {}, 0.003);
  findings.all.push_back({find_probe("relative_gradient"), {}, curves({gradients})});
  findings.all.push_back({find_probe("step"), {}, curves({steps})});
  return findings;
}

TEST(Forecast, StrainIsTheShiftOfOneStep) {
  const Forecast forecast = forecast_of(made_up(0.5, 1000, 0.002, 0));
  EXPECT_NEAR(forecast.strain, 0.002 * 1000, 1e-9);
  EXPECT_NEAR(forecast.largest_rate, thresholds::kStrain / 1000, 1e-9);
  EXPECT_TRUE(forecast.will_train);
  EXPECT_FALSE(forecast.needs_warmup);
}

TEST(Forecast, WarmupSavesWhatIsStrainedButNotWhatVanishes) {
  EXPECT_FALSE(forecast_of(made_up(0.5, 20000, 0.002, 0)).will_train);
  EXPECT_TRUE(forecast_of(made_up(0.5, 20000, 0.002, 100)).will_train);
  EXPECT_FALSE(forecast_of(made_up(0.1, 20000, 0.002, 100)).will_train);
}

// The skip of Pre-LN has no norm on it; ResiDual has a second stream. A single Post-LN stack is enough to close the
// way.
TEST(Forecast, KnowsWhichWiringsHaveAnOpenPath) {
  const auto limit = [](const std::string& encoder, const std::string& decoder) {
    Findings findings = made_up(0.5, 2000, 0.002, 0);
    findings.config.model.encoder_variant = encoder;
    findings.config.model.decoder_variant = decoder;
    return forecast_of(findings).limit;
  };
  for (const char* open : {"pre_ln", "residual_dual", "dlcl_pre", "sandwich", "b2t_past_norm"}) {
    EXPECT_EQ(limit(open, open), thresholds::kStrainWithOpenPath) << open;
  }
  for (const char* closed : {"post_ln", "b2t", "admin", "deepnorm", "mix_ln"}) {
    EXPECT_EQ(limit(closed, closed), thresholds::kStrain) << closed;
  }
  EXPECT_EQ(limit("pre_ln", "post_ln"), thresholds::kStrain);
}

// A rate that falls towards an end wants to know where it is; a probe does not train and need not.
TEST(Forecast, NeedsNoEndOfTheSchedule) {
  Findings findings = made_up(0.5, 1000, 0.002, 0);
  findings.config.schedule.name = "linear";
  findings.config.schedule.warmup_updates.reset();
  EXPECT_TRUE(forecast_of(findings).will_train);
}

// Numbers gone wrong are never good news.
TEST(Forecast, WhatIsNotANumberWillNotTrain) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(forecast_of(made_up(nan, 2000, 0.002, 0)).will_train);
  EXPECT_FALSE(forecast_of(made_up(0.5, nan, 0.002, 0)).will_train);
}

TEST(Forecast, SaysNothingOfALayerBelowTheOnlyOne) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::string text = in_words(forecast_of(made_up(0.5, 1000, 0.002, 0, none)));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("nan")));
  EXPECT_THAT(text, ::testing::HasSubstr("of the largest."));
}

TEST(Forecast, NamesTheWiringThatTakesTheLargestRate) {
  Findings better = made_up(0.5, 200, 0.002, 0);
  better.variant = "better";
  const std::string text = in_words(forecast_of(made_up(0.5, 2000, 0.002, 0), {better}));
  EXPECT_THAT(text, ::testing::HasSubstr("better would take 10.0 times the rate"));
}

TEST(Forecast, EverySentenceHasItsRuleAndGround) {
  const auto json = to_json(forecast_of(made_up(0.5, 2000, 0.002, 0)));
  EXPECT_GE(json["sentences"].size(), 5u);
  for (const auto& sentence : json["sentences"]) {
    EXPECT_FALSE(sentence["says"].get<std::string>().empty());
    EXPECT_FALSE(sentence["rule"].get<std::string>().empty());
    EXPECT_THAT(sentence["ground"].get<std::string>(), ::testing::AnyOf("theory", "measured", "rule of thumb"));
  }
}

}  // namespace
}  // namespace plumb::probe
