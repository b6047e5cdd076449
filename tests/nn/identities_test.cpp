// mathematics.md 7, residual algebra: special cases in which one row must equal another, or plain arithmetic.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/nn/feed_forward.h"
#include "plumb/nn/stack.h"
#include "plumb/ops/norm.h"

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

ModelConfig encoder(const std::string& variant) {
  return tiny(Form::Encoder, variant);
}

/// A stack of a row that the test made up, on weights that depend on their names only.
at::Tensor run_row(const Variant& row, const at::Tensor& x0, const ops::Packed& rows) {
  const ModelConfig config = encoder("post_ln");
  StackPlan made_up = stack_plan(config, Stack::Encoder);
  made_up.placement = &row;
  made_up.final_norm = row.ending.norm;
  ParameterStore store;
  const LayerStack stack(store, config, made_up);
  store.allocate(at::kDouble);
  store.draw(21);
  at::NoGradGuard no_grad;
  return stack(x0, rows, {}, {});
}

at::Tensor input(const ops::Packed& rows) {
  at::manual_seed(3);
  return at::randn({rows.rows(), 8}, at::kDouble);
}

const ops::Packed kRows({4, 1, 3});

/// Runs two models on equal weights, as far as they share names.
void copy_weights(const Transformer& from, Transformer& to) {
  for (const auto& entry : to.parameters().entries()) {
    if (!from.parameters().has(entry.spec.name)) continue;
    to.parameters().value(entry.spec.name).copy_(from.parameters().value(entry.spec.name));
  }
}

void fill(Transformer& model, const std::string& ending, double value) {
  for (const auto& entry : model.parameters().entries()) {
    if (entry.spec.name.ends_with(ending)) model.parameters().value(entry.spec.name).fill_(value);
  }
}

TEST(Identity, B2tWithoutItsBottomConnectionIsPostLn) {
  Variant row = *find_variant("b2t");
  const at::Tensor x0 = input(kRows), with = run_row(row, x0, kRows);
  row.at = [](Rule& rule, const Place& place, const VariantOptions& options) {
    find_variant("b2t")->at(rule, place, options);
    rule.alpha = 0;
  };
  const at::Tensor post = run_row(*find_variant("post_ln"), x0, kRows);
  EXPECT_EQ(difference(run_row(row, x0, kRows), post), 0);
  EXPECT_GT(difference(with, post), 1e-3);
}

TEST(Identity, B2tPastTheNormWithoutItsBottomConnectionIsPostLn) {
  Variant row = *find_variant("b2t_past_norm");
  const at::Tensor x0 = input(kRows), with = run_row(row, x0, kRows);
  row.at = nullptr;
  const at::Tensor post = run_row(*find_variant("post_ln"), x0, kRows);
  EXPECT_EQ(difference(run_row(row, x0, kRows), post), 0);
  EXPECT_GT(difference(with, post), 1e-3);
}

TEST(Identity, DeepnormWithAlphaOneIsPostLn) {
  Variant row = *find_variant("deepnorm");
  const at::Tensor x0 = input(kRows), with = run_row(row, x0, kRows);
  row.at = [](Rule& rule, const Place&, const VariantOptions&) { rule.r.value = 1; };
  const at::Tensor post = run_row(*find_variant("post_ln"), x0, kRows);
  EXPECT_LE(difference(run_row(row, x0, kRows), post), 1e-14);
  EXPECT_GT(difference(with, post), 1e-3);
}

TEST(Identity, AdminWithOmegaOneIsPostLn) {
  for (Form form : kForms) {
    Transformer post(tiny(form, "post_ln"), 1, at::kDouble), admin(tiny(form, "admin"), 2, at::kDouble);
    randomise(post, 3);
    copy_weights(post, admin);
    fill(admin, "_skip_scale", 1);
    const Batch batch = tiny_batch(post.config());
    EXPECT_LE(difference(logits(admin, batch), logits(post, batch)), 1e-14);
    fill(admin, "_skip_scale", 1.5);
    EXPECT_GT(difference(logits(admin, batch), logits(post, batch)), 1e-3);
  }
}

TEST(Identity, RezeroAtItsStartIsTheIdentity) {
  const Transformer model(encoder("rezero"), 1, at::kDouble);
  const Batch batch = tiny_batch(model.config());
  TapRecorder taps;
  const at::Tensor out = model.features(batch, {.observer = &taps});
  EXPECT_EQ(difference(out, taps.value("encoder.embed")), 0);
}

TEST(Identity, FixupAtItsStartIsTheIdentityUpToTheFinalScale) {
  for (Form form : kForms) {
    Transformer model(tiny(form, "fixup"), 1, at::kDouble);
    const Batch batch = tiny_batch(model.config());
    TapRecorder taps;
    const at::Tensor out = model.features(batch, {.observer = &taps});
    const std::string stack = form == Form::Encoder ? "encoder" : "decoder";
    EXPECT_EQ(difference(out, taps.value(stack + ".embed")), 0);
  }
  Transformer model(encoder("fixup"), 1, at::kDouble);
  fill(model, "encoder.output_scale", 0.5);
  fill(model, "encoder.output_shift", 0.25);
  TapRecorder taps;
  const at::Tensor out = model.features(tiny_batch(model.config()), {.observer = &taps});
  EXPECT_LE(difference(out, 0.5 * (taps.value("encoder.embed") - 0.25)), 1e-15);
}

TEST(Identity, LookLinearFeedForwardIsLinearAtItsStart) {
  const ModelConfig config = encoder("look_linear");
  ParameterStore store;
  const FeedForward ffn(store, stack_plan(config, Stack::Encoder), 0, Activation::Relu, 0);
  store.allocate(at::kDouble);
  store.draw(4);
  const at::Tensor x = input(kRows);
  const auto output = [&](const at::Tensor& in) { return ffn(in, kRows, {}).sum(); };
  EXPECT_LE((output(x) + output(-x)).abs().max().item<double>(), 1e-15);
  EXPECT_LE(difference(output(2 * x), 2 * output(x)), 1e-14);
  const at::Tensor w1 = store.value("encoder.layers.0.fc1.weight"), w2 = store.value("encoder.layers.0.fc2.weight");
  const at::Tensor linear = x.mm(w1.narrow(0, 0, 6).t()).mm(w2.narrow(1, 0, 6).t());
  EXPECT_LE(difference(output(x), linear), 1e-14);
}

/// A norm of the model, applied by hand.
at::Tensor normed(const Transformer& model, const std::string& name, const at::Tensor& x) {
  const ParameterStore& p = model.parameters();
  return ops::norm(NormKind::Layer, x, {p.value(name + ".weight"), p.value(name + ".bias"), {}}, 1e-5);
}

void one_hot_history(Transformer& model) {
  for (const auto& entry : model.parameters().entries()) {
    if (entry.spec.name.find("history.weights") == std::string::npos) continue;
    model.parameters().value(entry.spec.name).zero_();
    model.parameters().value(entry.spec.name)[-1] = 1;
  }
}

TEST(Identity, DlclPostWithOneHotWeightsIsPostLnPlusOneNorm) {
  ModelConfig config = encoder("dlcl_post");
  config.encoder_layers = 1;
  Transformer dlcl(config, 1, at::kDouble);
  randomise(dlcl, 3);
  one_hot_history(dlcl);
  config.variant = "post_ln";
  Transformer plain(config, 1, at::kDouble);
  copy_weights(dlcl, plain);
  const Batch batch = tiny_batch(config);
  const at::Tensor expected = normed(dlcl, "encoder.history.layer_norms.1", plain.features(batch, {}));
  EXPECT_LE(difference(dlcl.features(batch, {}), expected), 1e-14);
}

TEST(Identity, DlclPreWithOneHotWeightsIsPreLnWithANormOnEachLayersOutput) {
  ModelConfig config = encoder("dlcl_pre");
  config.encoder_layers = 1;
  Transformer dlcl(config, 1, at::kDouble);
  randomise(dlcl, 3);
  one_hot_history(dlcl);
  config.variant = "pre_ln";
  config.final_norm = false;
  Transformer plain(config, 1, at::kDouble);
  copy_weights(dlcl, plain);
  const Batch batch = tiny_batch(config);
  const at::Tensor stored = normed(dlcl, "encoder.history.layer_norms.1", plain.features(batch, {}));
  EXPECT_LE(difference(dlcl.features(batch, {}), normed(dlcl, "encoder.layer_norm", stored)), 1e-14);
}

TEST(Identity, DlclStartsAsTheAverageOfAllEarlierLayers) {
  const Transformer model(encoder("dlcl_pre"), 1, at::kDouble);
  for (int64_t row = 0; row <= 3; ++row) {
    const at::Tensor weights = model.parameters().value("encoder.history.weights." + std::to_string(row));
    EXPECT_TRUE(at::equal(weights, at::full({row + 1}, 1.0 / static_cast<double>(row + 1), at::kDouble)));
  }
}

TEST(Identity, LnScalingOfTheFirstLayerIsPreLn) {
  ModelConfig config = encoder("ln_scaling");
  config.encoder_layers = 1;
  Transformer scaled(config, 1, at::kDouble);
  randomise(scaled, 3);
  config.variant = "pre_ln";
  Transformer pre(config, 1, at::kDouble);
  copy_weights(scaled, pre);
  const Batch batch = tiny_batch(config);
  EXPECT_EQ(difference(scaled.features(batch, {}), pre.features(batch, {})), 0);
}

TEST(Identity, SecondStreamOfResidualDualIsTheEmbeddingPlusEveryBranch) {
  for (Form form : {Form::Encoder, Form::Decoder}) {
    Transformer model(tiny(form, "residual_dual"), 1, at::kDouble);
    randomise(model, 3);
    const std::string stack(word(form));
    TapRecorder taps;
    const at::Tensor out = model.features(tiny_batch(model.config()), {.observer = &taps});
    at::Tensor stream = taps.value(stack + ".embed"), last;
    for (const auto& record : taps.records()) {
      if (record.tap.point == Tap::Point::Branch) stream = stream + record.value;
      if (record.tap.point == Tap::Point::Out && record.tap.sublayer) last = record.value;
    }
    const ParameterStore& p = model.parameters();
    const at::Tensor norm =
        ops::norm(NormKind::Layer, stream,
                  {p.value(stack + ".layer_norm.weight"), p.value(stack + ".layer_norm.bias"), {}}, 1e-7);
    EXPECT_LE(difference(out, last + norm), 1e-14);
  }
}

TEST(Identity, MixLnOfFractionOneOrZeroIsPostOrPreLn) {
  for (const auto& [fraction, like] : {std::pair{1.0, "post_ln"}, std::pair{0.0, "pre_ln"}}) {
    ModelConfig config = encoder("mix_ln");
    config.options.mix_ln_fraction = fraction;
    Transformer mixed(config, 1, at::kDouble);
    randomise(mixed, 3);
    Transformer plain(encoder(like), 1, at::kDouble);
    copy_weights(mixed, plain);
    const Batch batch = tiny_batch(config);
    at::Tensor expected = plain.features(batch, {});
    if (fraction == 1) expected = normed(mixed, "encoder.layer_norm", expected);  // mix_ln always ends in a norm
    EXPECT_LE(difference(mixed.features(batch, {}), expected), 1e-14) << like;
  }
}

}  // namespace
}  // namespace plumb::test
