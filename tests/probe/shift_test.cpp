#include "plumb/probe/shift.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/optim/optimiser.h"

namespace plumb::probe {
namespace {

Config small_config() {
  Config config;
  config.model.variant = "post_ln";
  config.model.width = 32;
  config.model.ffn_width = 64;
  config.model.heads = 4;
  config.model.encoder_layers = config.model.decoder_layers = 2;
  config.model.source_vocab = config.model.target_vocab = 60;
  config.probe.batch_tokens = 100;
  return config;
}

// "One Adam step" is what our Adam does first, up to its epsilon.
TEST(OutputShift, ByAdamIsThatOfAdamsFirstStep) {
  Config config = small_config();
  const Sample sample = random_sample(config);
  const Subject subject(config, sample, 1);
  const auto model = subject.build();
  const at::Tensor before = model->features(subject.first().inputs, {}).detach().clone();
  model->parameters().zero_gradients();
  subject.loss(*model, subject.first()).backward();
  config.optim.eps = 1e-30;
  make_optimiser(config.optim, model->parameters())->step(OutputShift::kAdamStep);
  const at::Tensor after = model->features(subject.first().inputs, {}).detach();
  const double expected = (after - before).square().sum(at::kDouble).item<double>();
  const OutputShift shift = output_shift(subject, Stack::Decoder);
  EXPECT_NEAR(shift.adam, expected, 0.01 * expected);
  EXPECT_NEAR(shift.size, before.square().sum().item<double>(), 1e-3 * shift.size);
  EXPECT_NEAR(shift.relative_rate(), std::sqrt(expected / shift.size) / 1e-6, 0.01 * shift.relative_rate());
}

// Weights have their own random streams: another decoder leaves the encoder as it is.
TEST(OutputShift, OfTheEncoderDoesNotSeeTheDecoder) {
  const Config config = small_config();
  const Sample sample = random_sample(config);
  const Subject subject(config, sample, 1);
  const OutputShift one = output_shift(subject, Stack::Encoder);
  const OutputShift other = output_shift(subject.with_depth(2, 4), Stack::Encoder);
  EXPECT_EQ(one.size, other.size);
  EXPECT_GT(one.random, 0);
}

}  // namespace
}  // namespace plumb::probe
