// Every probe runs for every form and gives the numbers that its row explains, each of them finite.

#include <algorithm>
#include <cmath>
#include <set>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/probe/findings_text.h"

#include "probe/support/examined.h"

namespace plumb::probe {
namespace {

Config small_config(Form form, const std::string& variant) {
  Config config;
  config.model.form = form;
  config.model.variant = variant;
  config.model.width = 16;
  config.model.ffn_width = 32;
  config.model.heads = 2;
  config.model.encoder_layers = config.model.decoder_layers = 3;
  config.model.source_vocab = config.model.target_vocab = 50;
  config.probe.seeds = 2;
  config.probe.batches = 2;
  config.probe.batch_tokens = 60;
  config.probe.depths = {1, 2, 3};
  config.probe.curvature_pairs = 4;
  config.probe.lanczos_steps = 12;
  config.probe.lanczos_vectors = 2;
  return config;
}

struct Case {
  std::string_view probe, variant;
  Form form;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ProbeRow& row : probes()) {
    if (row.needs == ProbeRow::Needs::Run || row.own_setting) continue;
    for (Form form : {Form::EncoderDecoder, Form::Decoder, Form::Encoder}) all.push_back({row.name, "post_ln", form});
    for (std::string_view variant : {"b2t", "admin", "dlcl_pre", "layer_scale", "residual_dual"}) {
      all.push_back({row.name, variant, Form::EncoderDecoder});
    }
  }
  return all;
}

std::set<std::string> numbers_in(const std::vector<Curve>& curves) {
  std::set<std::string> names;
  for (const Curve& curve : curves) names.insert(curve.number);
  return names;
}

/// Whether small_config() gives a number that its row does not promise. It has three depths and layers.
bool is_there(std::string_view number, const Case& of, const Finding& finding) {
  if (number == "predicted") return of.variant == "post_ln";
  if (number == "low" || number == "high") return of.variant == "dlcl_pre" || of.variant == "layer_scale";
  if (number != "rate_best" && number != "rate_stable") return true;
  return std::ranges::any_of(finding.by_seed, [](const Readings& seed) {
    return std::ranges::any_of(seed.all(),
                               [](const Reading& one) { return one.number == "curvature" && one.value > 0; });
  });
}

class EveryProbe : public ::testing::TestWithParam<Case> {};

TEST_P(EveryProbe, GivesTheNumbersOfItsRow) {
  const auto [probe, variant, form] = GetParam();
  const Findings findings = examined(small_config(form, std::string(variant)), probe);
  const Finding& finding = findings.all.front();
  std::set<std::string> expected;
  for (const ProbeRow::Number& number : finding.row->numbers) {
    if (number.only_where.empty() || is_there(number.name, GetParam(), finding)) expected.emplace(number.name);
  }
  EXPECT_EQ(numbers_in(finding.means), expected);
  for (const Curve& curve : finding.means) {
    for (const Curve::Point& point : curve.points) EXPECT_TRUE(std::isfinite(point.over_seeds.mean)) << curve.number;
  }
  EXPECT_NE(in_words(finding).find(finding.row->name), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryProbe, ::testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(info.param.probe) + '_' + std::string(info.param.variant) + '_' +
         std::string(word(info.param.form));
});

// What a row makes conditional is gone where the condition does not hold, and nothing else is.
TEST(EveryProbe, LeavesOutWhatItsRowSaysMayBeMissing) {
  Config config = small_config(Form::EncoderDecoder, "b2t");
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.probe.depths = {1};
  config.probe.curvature_blocks = config.probe.curvature_adam = false;
  for (std::string_view probe : {"hidden_state", "relative_gradient", "depth_scaling", "amplification", "curvature"}) {
    const Findings findings = examined(config, probe);
    std::set<std::string> promised;
    for (const ProbeRow::Number& number : find_probe(probe)->numbers) {
      if (number.only_where.empty()) promised.emplace(number.name);
    }
    EXPECT_EQ(numbers_in(findings.all.front().means), promised) << probe;
  }
}

// ReZero starts as the identity: its branches add nothing and get no gradient, and the decoder does not see the
// encoder. What is relative to a gradient of zero is not a number. It is a result, and is said.
class WithoutGradients : public ::testing::Test {
 protected:
  static std::vector<double> values(const Findings& findings, const char* number, const Labels& labels = {}) {
    const Curve* curve = findings.curve(std::string(findings.all.front().row->name), number, labels);
    EXPECT_NE(curve, nullptr) << number;
    return curve ? curve->means() : std::vector<double>();
  }
  static void expect_all(const std::vector<double>& values, double expected) {
    EXPECT_FALSE(values.empty());
    for (double value : values) EXPECT_NEAR(value, expected, 1e-6);
  }
  static void expect_no_numbers(const std::vector<double>& values) {
    EXPECT_FALSE(values.empty());
    for (double value : values) EXPECT_TRUE(std::isnan(value)) << value;
  }
  const Config config = small_config(Form::EncoderDecoder, "rezero");
  const Labels encoder = {{"stack", "encoder"}}, decoder = {{"stack", "decoder"}};
};

TEST_F(WithoutGradients, GradientNormsOfMatricesAreZero) {
  const Findings found = examined(config, "gradient_norm");
  expect_all(values(found, "matrix", {{"stack", "decoder"}, {"matrix", "fc2"}}), 0);
  for (double norm : values(found, "layer", decoder)) EXPECT_GT(norm, 0);  // that of the branch scale
  expect_all(values(found, "layer", encoder), 0);
}

TEST_F(WithoutGradients, RelativeGradientsAreOneInTheDecoderAndNoNumberInTheEncoder) {
  const Findings found = examined(config, "relative_gradient");
  expect_all(values(found, "smallest", decoder), 1);
  expect_all(values(found, "factor", decoder), 1);
  expect_no_numbers(values(found, "smallest", encoder));
  EXPECT_NE(in_words(found.all.front()).find("nan"), std::string::npos);
}

TEST_F(WithoutGradients, NothingHappensToTheGradientInsideALayer) {
  const Findings found = examined(config, "inner_gradient");
  expect_all(values(found, "across", decoder), 1);
  expect_no_numbers(values(found, "across", encoder));
  EXPECT_NE(in_words(found.all.front()).find("nan"), std::string::npos);
}

TEST_F(WithoutGradients, OutputsDependOnNoBranch) {
  const Findings found = examined(config, "dependency");
  expect_all(values(found, "own", decoder), 0);
  EXPECT_EQ(found.curve("dependency", "exponent"), nullptr);
  EXPECT_EQ(in_words(found.all.front()).find("exponent"), std::string::npos);
}

TEST_F(WithoutGradients, TheSignalIsFlat) {
  const Findings found = examined(config, "signal");
  expect_all(values(found, "growth", decoder), 1);
  expect_all(values(found, "decay", decoder), 1);
  expect_no_numbers(values(found, "decay", encoder));
  EXPECT_NE(in_words(found.all.front()).find("nan"), std::string::npos);
}

TEST(EveryProbe, IsReproducible) {
  const Config config = small_config(Form::EncoderDecoder, "admin");
  for (const char* probe : {"gradient_norm", "amplification", "curvature"}) {
    const Findings one = examined(config, probe), two = examined(config, probe);
    ASSERT_EQ(one.all[0].means.size(), two.all[0].means.size());
    for (size_t i = 0; i < one.all[0].means.size(); ++i) {
      if (one.all[0].means[i].number == "seconds") continue;
      EXPECT_EQ(one.all[0].means[i].means(), two.all[0].means[i].means()) << probe;
    }
  }
}

TEST(GradientNorm, IsThatOfTheMeanGradient) {
  Config config = small_config(Form::Decoder, "post_ln");
  config.probe.seeds = 1;
  const Sample sample = random_sample(config);
  const Subject subject(config, sample, 1);
  // One mini-batch at a time, by hand.
  const auto model = subject.build();
  at::Tensor sum;
  for (const ProbeBatch& batch : sample.batches) {
    model->parameters().zero_gradients();
    mean_loss(*model, batch, config.train).backward();
    const at::Tensor gradient = model->parameters().gradient("decoder.layers.1.fc2.weight").clone();
    sum = sum.defined() ? sum + gradient : gradient;
  }
  const double expected = (sum / static_cast<double>(sample.batches.size())).norm().item<double>();
  const Findings findings = examined(config, "gradient_norm");
  const Curve* curve = findings.curve("gradient_norm", "matrix", {{"stack", "decoder"}, {"matrix", "fc2"}});
  ASSERT_NE(curve, nullptr);
  EXPECT_NEAR(curve->means()[1], expected, 1e-6 * expected);
}

}  // namespace
}  // namespace plumb::probe
