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
    if (row.needs == ProbeRow::Needs::Run || row.name == "lemmas") continue;
    for (Form form : {Form::EncoderDecoder, Form::Decoder, Form::Encoder}) all.push_back({row.name, "post_ln", form});
    for (std::string_view variant : {"b2t", "admin", "dlcl_pre", "layer_scale", "residual_dual"}) {
      all.push_back({row.name, variant, Form::EncoderDecoder});
    }
  }
  return all;
}

class EveryProbe : public ::testing::TestWithParam<Case> {};

TEST_P(EveryProbe, GivesTheNumbersOfItsRow) {
  const auto [probe, variant, form] = GetParam();
  const Findings findings = examined(small_config(form, std::string(variant)), probe);
  const Finding& finding = findings.all.front();
  std::set<std::string> known, met;
  for (const ProbeRow::Number& number : finding.row->numbers) known.insert(std::string(number.name));
  ASSERT_FALSE(finding.means.empty());
  for (const Curve& curve : finding.means) {
    EXPECT_TRUE(known.contains(curve.number)) << curve.number << " is not explained";
    met.insert(curve.number);
    for (const Curve::Point& point : curve.points) EXPECT_TRUE(std::isfinite(point.over_seeds.mean)) << curve.number;
  }
  EXPECT_GE(met.size() + 2, known.size());  // a number may not make sense for a wiring: Lemma 2 has no bound for B2T
  EXPECT_NE(in_words(finding).find(finding.row->name), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryProbe, ::testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(info.param.probe) + '_' + std::string(info.param.variant) + '_' +
         std::string(word(info.param.form));
});

// ReZero starts as the identity: no branch has a gradient, and what is relative to it is not a number. It is a result.
TEST(EveryProbe, SurvivesAWiringWithoutGradients) {
  for (const char* probe : {"gradient_norm", "relative_gradient", "inner_gradient", "dependency", "signal"}) {
    const Findings findings = examined(small_config(Form::EncoderDecoder, "rezero"), probe);
    EXPECT_FALSE(in_words(findings.all.front()).empty());
  }
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
