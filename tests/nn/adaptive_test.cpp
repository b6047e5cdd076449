#include "plumb/nn/adaptive.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "plumb/nn/transformer.h"

namespace plumb {
namespace {

struct Tying {
  bool input = false, tables = false, projections = false;
};
constexpr Tying kTyings[] = {{}, {true}, {true, true}, {true, true, true}};

ModelConfig language_model(const Tying& tying) {
  ModelConfig model;
  model.form = Form::Decoder;
  model.width = 16;
  model.heads = 2;
  model.ffn_width = 16;
  model.decoder_layers = 1;
  model.target_vocab = 23;
  model.max_positions = 16;
  model.dropout = 0;
  model.adaptive_cutoffs = {7, 15};
  model.adaptive_factor = 4;
  model.adaptive_input = tying.input;
  model.share_decoder_input_output_embed = tying.tables;
  model.adaptive_tie_projections = tying.projections;
  return model;
}

/// Words of all three bands.
Tokens text() {
  return {at::tensor({2, 4, 9, 20, 5, 16, 2, 22, 6, 14}, at::kLong), ops::Packed({6, 4})};
}
at::Tensor targets() {
  return at::tensor({4, 9, 20, 5, 16, 2, 22, 6, 14, 2}, at::kLong);
}

TEST(Adaptive, BandsShrinkByTheFactor) {
  const auto bands = word_bands(language_model({}), 23);
  ASSERT_EQ(bands.size(), 3u);
  EXPECT_EQ(bands[0].size, 7);
  EXPECT_EQ(bands[1].first, 7);
  EXPECT_EQ(bands[2].size, 8);
  EXPECT_EQ(bands[0].width, 16);
  EXPECT_EQ(bands[1].width, 4);
  EXPECT_EQ(bands[2].width, 1);
}

TEST(Adaptive, ProbabilitiesSumToOne) {
  for (const Tying& tying : kTyings) {
    const Transformer model(language_model(tying), 3, at::kDouble);
    const at::Tensor log_p = model.logits(model.features({{}, text()}, {}));
    EXPECT_EQ(log_p.size(1), 23);
    EXPECT_TRUE(at::allclose(log_p.exp().sum(1), at::ones(10, at::kDouble), 0, 1e-12));
  }
}

// The full softmax built by hand from the pieces: p(w) = p(band) p(w | band), with loops over the store's tensors.
TEST(Adaptive, IsTheFullSoftmaxBuiltFromItsPieces) {
  for (const Tying& tying : kTyings) {
    Transformer model(language_model(tying), 3, at::kDouble);
    const ParameterStore& store = model.parameters();
    const at::Tensor x = model.features({{}, text()}, {}).detach();
    const auto words = [&](int band) {
      if (tying.tables) return store.value("decoder.embed_tokens.embeddings." + std::to_string(band) + ".0.weight");
      if (band == 0) return store.value("decoder.adaptive_softmax.head.word_proj.weight");
      return store.value("decoder.adaptive_softmax.tail." + std::to_string(band - 1) + ".2.weight");
    };
    const auto projection = [&](int band) {  // [D_i, D]
      if (tying.projections) {
        return store.value("decoder.embed_tokens.embeddings." + std::to_string(band) + ".1.weight").t();
      }
      return store.value("decoder.adaptive_softmax.tail." + std::to_string(band - 1) + ".0.weight");
    };
    const at::Tensor classes = store.value("decoder.adaptive_softmax.head.class_proj.weight");
    const at::Tensor head = at::cat({x.mm(words(0).t()), x.mm(classes.t())}, 1).softmax(1);
    std::vector<at::Tensor> p = {head.narrow(1, 0, 7)};
    for (int band : {1, 2}) {
      const at::Tensor tail = x.mm(projection(band).t()).mm(words(band).t()).softmax(1);
      p.push_back(tail * head.narrow(1, 6 + band, 1));
    }
    const at::Tensor expected = at::cat(p, 1);
    EXPECT_TRUE(at::allclose(model.logits(x).exp(), expected, 1e-12, 1e-14));
    double nll = 0;
    for (int64_t i = 0; i < 10; ++i) nll -= std::log(expected[i][targets()[i].item<int64_t>()].item<double>());
    EXPECT_NEAR(model.cross_entropies(x, targets(), 0, SmoothingOver::All).nll.item<double>(), nll, 1e-10);
  }
}

TEST(Adaptive, EmbedsEachWordByItsBand) {
  Transformer model(language_model({true}), 3, at::kDouble);
  const ParameterStore& store = model.parameters();
  const at::Tensor ids = at::tensor({22, 4, 9, 7, 6, 15, 2}, at::kLong);
  ParameterStore own;
  const AdaptiveEmbedding embedding(own, language_model({true}), stack_plan(language_model({true}), Stack::Decoder), 23,
                                    false);
  own.allocate(at::kDouble);
  own.draw(3);
  const at::Tensor x = embedding(ids);
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const int64_t id = ids[i].item<int64_t>();
    const int64_t band = id < 7 ? 0 : id < 15 ? 1 : 2, first = band == 0 ? 0 : band == 1 ? 7 : 15;
    const std::string name = "decoder.embed_tokens.embeddings." + std::to_string(band);
    const at::Tensor row = own.value(name + ".0.weight")[id - first];
    EXPECT_TRUE(at::allclose(x[i], own.value(name + ".1.weight").mv(row), 1e-12, 1e-14)) << id;
  }
  EXPECT_TRUE(store.value("decoder.embed_tokens.embeddings.0.0.weight")[1].eq(0).all().item<bool>());  // <pad>
}

double loss_of(const Transformer& model) {
  const at::Tensor x = model.features({{}, text()}, {});
  return model.cross_entropies(x, targets(), 0, SmoothingOver::All).smoothed.item<double>();
}

TEST(Adaptive, GradientsAreThoseOfFiniteDifferences) {
  for (const Tying& tying : kTyings) {
    Transformer model(language_model(tying), 3, at::kDouble);
    model.parameters().zero_gradients();
    model.cross_entropies(model.features({{}, text()}, {}), targets(), 0, SmoothingOver::All).smoothed.backward();
    at::NoGradGuard no_grad;
    for (const auto& entry : model.parameters().entries()) {
      const at::Tensor value = model.parameters().value(entry.spec.name).flatten();
      const at::Tensor gradient = model.parameters().gradient(entry.spec.name).flatten();
      for (int64_t i = 0; i < value.numel(); i += 1 + value.numel() / 5) {
        const double h = 1e-6, at = value[i].item<double>();
        value[i] = at + h;
        const double above = loss_of(model);
        value[i] = at - h;
        const double below = loss_of(model);
        value[i] = at;
        EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * h), 1e-6) << entry.spec.name << ' ' << i;
      }
    }
  }
}

TEST(Adaptive, TheFusedPathAgreesWithTheReferenceInDouble) {
  for (const Tying& tying : kTyings) {
    Transformer fused(language_model(tying), 3), exact(language_model(tying), 3, at::kDouble);
    for (const auto& entry : exact.parameters().entries()) {
      exact.parameters().value(entry.spec.name).copy_(fused.parameters().value(entry.spec.name));
    }
    for (Transformer* model : {&fused, &exact}) {
      model->parameters().zero_gradients();
      model->cross_entropies(model->features({{}, text()}, {}), targets(), 0, SmoothingOver::All).smoothed.backward();
    }
    const at::Tensor a = fused.parameters().gradients().to(at::kDouble), b = exact.parameters().gradients();
    EXPECT_LT((a - b).norm().item<double>(), 1e-5 * b.norm().item<double>());
  }
}

TEST(Adaptive, ItsDropoutDoesNotDependOnWhatSharesABatch) {
  ModelConfig config = language_model({true, true});
  config.adaptive_dropout = 0.5;
  const Transformer model(config, 3, at::kDouble);
  const Pass pass{.training = true, .seed = 5, .step = 7};
  const auto nll = [&](const Tokens& tokens, const at::Tensor& wanted) {
    return model.head()
        .cross_entropies(model.features({{}, tokens}, pass), tokens.rows, {wanted}, pass)
        .nll.item<double>();
  };
  const double both = nll(text(), targets());
  const double first = nll({text().ids.narrow(0, 0, 6), ops::Packed({6}, {0})}, targets().narrow(0, 0, 6));
  const double second = nll({text().ids.narrow(0, 6, 4), ops::Packed({4}, {1})}, targets().narrow(0, 6, 4));
  EXPECT_NEAR(both, first + second, 1e-10);
  const Pass quiet;
  EXPECT_NE(both, model.head()
                      .cross_entropies(model.features({{}, text()}, quiet), text().rows, {targets()}, quiet)
                      .nll.item<double>());
}

}  // namespace
}  // namespace plumb
