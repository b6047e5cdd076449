// The door of the library: a request goes in, measurements and forecasts come out.

#include "plumb/probe/session.h"

#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/catalogue/probes.h"
#include "plumb/probe/records.h"

#include "support/temporary_directory.h"

namespace plumb::probe {
namespace {

constexpr std::string_view kTiny = R"(
[model]
form = "decoder"
variant = "post_ln"
width = 16
ffn_width = 32
heads = 2
decoder_layers = 2
target_vocab = 40
[probe]
seeds = 2
batches = 1
batch_tokens = 40
)";

class SessionOf : public ::testing::Test {
 protected:
  SessionOf() { write_all(folder_ / "tiny.toml", kTiny); }

  Request request() const { return {.what = (folder_ / "tiny.toml").string()}; }

  TemporaryDirectory folder_;
};

TEST_F(SessionOf, AConfigMeasuresWhatFitsAndForecasts) {
  std::map<std::string, uint64_t> last, steps;
  const Results results = Session(request()).run([&](std::string_view stage, uint64_t done, uint64_t all) {
    EXPECT_EQ(done, done == 0 ? 0 : last[std::string(stage)] + 1);
    last[std::string(stage)] = done;
    steps[std::string(stage)] = all;
  });
  EXPECT_EQ(last, steps);
  EXPECT_EQ(steps["other wirings"], wirings_to_suggest().size());
  ASSERT_EQ(results.variants.size(), 1u);
  const ProbedVariant& one = results.variants.front();
  EXPECT_EQ(one.findings.variant, "post_ln");
  EXPECT_EQ(steps["probing"], 2 * one.findings.all.size());
  for (const Finding& finding : one.findings.all) {
    EXPECT_NE(finding.row->tier, ProbeRow::Tier::Heavy);
    EXPECT_EQ(finding.by_seed.size(), 2u);
  }
  ASSERT_TRUE(one.forecast.has_value());
  EXPECT_EQ(one.forecast->sentences.back().about, "wiring");  // what the others would take
}

TEST_F(SessionOf, ChosenProbesForecastsOnlyFromWhatAForecastNeeds) {
  Request few = request();
  few.only = {"relative_gradient"};
  EXPECT_FALSE(Session(few).run().variants.front().forecast.has_value());
  few.only = {"relative_gradient", "step"};
  const Results enough = Session(few).run();
  ASSERT_TRUE(enough.variants.front().forecast.has_value());
  EXPECT_NE(enough.variants.front().forecast->sentences.back().about, "wiring");  // nobody asked for others
}

TEST_F(SessionOf, SeveralVariantsMeasuresEachOnTheSameSentences) {
  Request both = request();
  both.overrides = {"probe.seeds=1"};
  both.only = {"dependency"};
  both.compare = {"pre_ln", "b2t"};
  const Results results = Session(both).run();
  ASSERT_EQ(results.variants.size(), 2u);
  EXPECT_EQ(results.variants[0].findings.variant, "pre_ln");
  EXPECT_EQ(results.variants[1].findings.variant, "b2t");
  const auto json = to_json(results);
  EXPECT_EQ(json["of"], both.what);
  EXPECT_EQ(json["arms"].size(), 2u);
  EXPECT_THAT(record_lines(results), ::testing::HasSubstr(R"("type":"subject")"));
}

TEST_F(SessionOf, ARequestThatCannotBeMetSaysSoAtOnce) {
  Request wrong = request();
  wrong.only = {"dependancy"};
  EXPECT_THROW(Session{wrong}, UserError);
  wrong.only = {"update"};  // needs a run
  EXPECT_THROW(Session{wrong}, UserError);
  std::filesystem::rename(folder_ / "tiny.toml", folder_ / "config.toml");
  Request run{.what = folder_.path().string()};
  run.compare = {"pre_ln"};
  EXPECT_THROW(Session{run}, UserError);
}

}  // namespace
}  // namespace plumb::probe
