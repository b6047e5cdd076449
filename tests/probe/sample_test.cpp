#include "plumb/probe/sample.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/catalogue/special_ids.h"

namespace plumb::probe {
namespace {

Config config_of(Form form) {
  Config config;
  config.model.form = form;
  config.model.source_vocab = 300;
  config.model.target_vocab = 200;
  config.model.width = 16;
  config.model.ffn_width = 16;
  config.model.heads = 2;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  return config;
}

TEST(RandomSample, IsTheSameEveryTimeAndOfTheSizesAskedFor) {
  Config config = config_of(Form::EncoderDecoder);
  config.probe.batches = 3;
  config.probe.batch_tokens = 500;
  const Sample one = random_sample(config), two = random_sample(config);
  ASSERT_EQ(one.batches.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GE(one.batches[i].tokens(), 500);
    EXPECT_LT(one.batches[i].tokens(), 600);
    EXPECT_TRUE(one.batches[i].targets.equal(two.batches[i].targets));
    EXPECT_LT(one.batches[i].inputs.source.ids.max().item<int64_t>(), 300);
    EXPECT_LT(one.batches[i].targets.max().item<int64_t>(), 200);
  }
}

TEST(RandomSample, FollowsZipfsLaw) {
  Config config = config_of(Form::EncoderDecoder);
  config.probe.batch_tokens = 40000;
  config.probe.batches = 1;
  const at::Tensor counts = random_sample(config).batches[0].inputs.source.ids.bincount().to(at::kDouble);
  const double first = counts[kUnk + 1].item<double>(), tenth = counts[kUnk + 10].item<double>();
  EXPECT_NEAR(first / tenth, 10, 1.5);
  double mean_length = static_cast<double>(counts.sum().item<double>()) / counts[kEos].item<double>();
  EXPECT_NEAR(mean_length, 22, 1);
}

// The decoder reads what it has to say one token later, and every sentence begins with </s>.
TEST(RandomSample, ShiftsTheTargetByOne) {
  const ProbeBatch batch = random_sample(config_of(Form::Decoder)).batches[0];
  const Tokens& input = batch.inputs.target;
  EXPECT_EQ(input.ids.numel(), batch.targets.numel());
  EXPECT_TRUE(input.ids.slice(0, 1).equal(batch.targets.slice(0, 0, -1)));
  EXPECT_EQ(input.ids[0].item<int64_t>(), kEos);
  EXPECT_FALSE(batch.inputs.source.ids.defined());
}

TEST(RandomSample, MasksWhatAnEncoderHasToGuess) {
  const ProbeBatch batch = random_sample(config_of(Form::Encoder)).batches[0];
  const at::Tensor seen = batch.inputs.source.ids.index_select(0, batch.scored);
  EXPECT_TRUE(seen.eq(kUnk).all().item<bool>());
  const double share = static_cast<double>(batch.tokens()) / static_cast<double>(batch.inputs.source.ids.numel());
  EXPECT_NEAR(share, 0.15, 0.02);
  EXPECT_FALSE(batch.targets.eq(kUnk).any().item<bool>());
}

// At the start a model knows nothing: its loss is near ln V, in every form.
TEST(MeanLoss, IsNearTheLogarithmOfTheVocabularyAtTheStart) {
  for (Form form : {Form::EncoderDecoder, Form::Decoder, Form::Encoder}) {
    Config config = config_of(form);
    const Sample sample = random_sample(config);
    const Transformer model(config.model, 1);
    const double vocabulary = form == Form::Encoder ? 300 : 200;
    EXPECT_NEAR(mean_loss(model, sample.batches[0], config.train).item<double>(), std::log(vocabulary), 1.2)
        << word(form);
  }
}

}  // namespace
}  // namespace plumb::probe
