#include "plumb/nn/head.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "plumb/nn/transformer.h"
#include "plumb/task/loss.h"

namespace plumb {
namespace {

ModelConfig bert(HeadKind head) {
  ModelConfig model;
  model.form = Form::Encoder;
  model.head = head;
  model.segments = 2;
  model.width = 8;
  model.heads = 2;
  model.ffn_width = 16;
  model.encoder_layers = 2;
  model.source_vocab = 13;
  model.classes = 3;
  model.max_positions = 16;
  model.dropout = 0;
  model.share_decoder_input_output_embed = true;
  return model;
}

Tokens pairs() {
  return {at::tensor({0, 5, 6, 2, 7, 2, 0, 9, 2}, at::kLong), ops::Packed({6, 3}),
          at::tensor({0, 0, 0, 0, 1, 1, 0, 0, 0}, at::kLong)};
}

double gelu(double x) {
  return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
}

TEST(MaskedHead, IsATransformAndThenTheSoftmax) {
  Transformer model(bert(HeadKind::MaskedWords), 3, at::kDouble);
  const ParameterStore& p = model.parameters();
  p.value("encoder.lm_head.dense.bias").uniform_(-1, 1);
  p.value("encoder.lm_head.layer_norm.weight").uniform_(0.5, 2);
  p.value("encoder.lm_head.layer_norm.bias").uniform_(-1, 1);
  const at::Tensor x = model.features({pairs(), {}}, {}).detach(), logits = model.logits(x).detach();
  const at::Tensor dense = p.value("encoder.lm_head.dense.weight"), words = p.value("encoder.embed_tokens.weight");
  for (int64_t row = 0; row < x.size(0); ++row) {
    std::vector<double> h(8);
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < 8; ++i) {
      double sum = p.value("encoder.lm_head.dense.bias")[i].item<double>();
      for (int64_t j = 0; j < 8; ++j) sum += dense[i][j].item<double>() * x[row][j].item<double>();
      h[static_cast<size_t>(i)] = gelu(sum);
      mean += gelu(sum) / 8;
    }
    for (double one : h) variance += (one - mean) * (one - mean) / 8;
    for (int64_t word = 0; word < 13; ++word) {
      double score = 0;
      for (int64_t i = 0; i < 8; ++i) {
        const double scaled = (h[static_cast<size_t>(i)] - mean) / std::sqrt(variance + 1e-5);
        score +=
            words[word][i].item<double>() * (scaled * p.value("encoder.lm_head.layer_norm.weight")[i].item<double>() +
                                             p.value("encoder.lm_head.layer_norm.bias")[i].item<double>());
      }
      EXPECT_NEAR(logits[row][word].item<double>(), score, 1e-10);
    }
  }
}

TEST(SentenceHead, ReadsTheFirstRowOfEachSequence) {
  Transformer model(bert(HeadKind::Classes), 3, at::kDouble);
  const ParameterStore& p = model.parameters();
  const TrainingBatch batch{{pairs(), {}}, at::tensor({2, 0}, at::kLong)};
  const at::Tensor x = model.features(batch.inputs, {}).detach();
  const at::Tensor logits = class_logits(model, batch, {}).detach();
  ASSERT_EQ(logits.size(0), 2);
  ASSERT_EQ(logits.size(1), 3);
  double nll = 0;
  for (int64_t b = 0; b < 2; ++b) {
    const at::Tensor first = x[b == 0 ? 0 : 6];
    const at::Tensor pooled = (p.value("encoder.pooler.weight").mv(first) + p.value("encoder.pooler.bias")).tanh();
    const at::Tensor expected = p.value("encoder.classifier.weight").mv(pooled) + p.value("encoder.classifier.bias");
    EXPECT_TRUE(at::allclose(logits[b], expected, 1e-12, 1e-14));
    nll -= expected.log_softmax(0)[batch.targets[b].item<int64_t>()].item<double>();
  }
  EXPECT_NEAR(losses(model, batch, {}, {}).nll.item<double>(), nll, 1e-10);
}

TEST(Segments, AreAddedToTheEmbedding) {
  Transformer model(bert(HeadKind::Classes), 3, at::kDouble);
  Tokens one = pairs(), two = pairs();
  one.segments = at::zeros_like(one.segments);
  two.segments = at::zeros_like(two.segments);
  const at::Tensor table = model.parameters().value("encoder.embed_segments.weight");
  EXPECT_FALSE(at::allclose(model.encode(pairs(), {}).states, model.encode(one, {}).states));
  table[1].copy_(table[0]);  // then it does not matter which one
  EXPECT_TRUE(at::allclose(model.encode(pairs(), {}).states, model.encode(two, {}).states, 0, 1e-14));
}

// The mean of the second loss is added to the mean of the first.
TEST(NextSentence, AddsItsMeanLoss) {
  ModelConfig config = bert(HeadKind::MaskedWords);
  config.next_sentence = true;
  Transformer model(config, 3, at::kDouble);
  TrainConfig train;
  train.label_smoothing = 0;
  TrainingBatch batch{{pairs(), {}}, at::tensor({5, 7, 9}, at::kLong), at::tensor({1, 4, 7}, at::kLong)};
  const double words = losses(model, batch, train, {}).smoothed.item<double>() / 3;
  batch.labels = at::tensor({1, 0}, at::kLong);
  const at::Tensor logits = class_logits(model, batch, {}).detach().log_softmax(1);
  const double sentences = -(logits[0][1] + logits[1][0]).item<double>() / 2;
  const ops::CrossEntropy both = losses(model, batch, train, {});
  EXPECT_NEAR(both.smoothed.item<double>() / 3, words + sentences, 1e-12);
  EXPECT_NEAR(both.nll.item<double>() / 3, words, 1e-12);
}

TEST(Heads, GradientsAreThoseOfFiniteDifferences) {
  for (HeadKind head : {HeadKind::MaskedWords, HeadKind::Classes}) {
    ModelConfig config = bert(head);
    config.next_sentence = head == HeadKind::MaskedWords;
    Transformer model(config, 3, at::kDouble);
    TrainingBatch batch{{pairs(), {}}, at::tensor({2, 0}, at::kLong)};
    if (head == HeadKind::MaskedWords) {
      batch = {{pairs(), {}},
               at::tensor({5, 7, 9}, at::kLong),
               at::tensor({1, 4, 7}, at::kLong),
               at::tensor({1, 0}, at::kLong)};
    }
    const auto loss = [&] { return losses(model, batch, {}, {}).smoothed; };
    model.parameters().zero_gradients();
    loss().backward();
    at::NoGradGuard no_grad;
    for (const auto& entry : model.parameters().entries()) {
      const at::Tensor value = model.parameters().value(entry.spec.name).flatten();
      const at::Tensor gradient = model.parameters().gradient(entry.spec.name).flatten();
      for (int64_t i = 0; i < value.numel(); i += 1 + value.numel() / 3) {
        const double h = 1e-6, at = value[i].item<double>();
        value[i] = at + h;
        const double above = loss().item<double>();
        value[i] = at - h;
        const double below = loss().item<double>();
        value[i] = at;
        EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * h), 1e-6) << entry.spec.name << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace plumb
