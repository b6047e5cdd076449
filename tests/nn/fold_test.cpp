#include "plumb/nn/fold.h"

#include <ATen/ATen.h>

#include "plumb/base/error.h"

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

std::vector<std::string> foldable() {
  std::vector<std::string> names;
  for (const Variant& row : variants()) {
    if (!row.folds_into.empty()) names.emplace_back(row.name);
  }
  return names;
}

double folding_error(const ModelConfig& config, at::ScalarType dtype) {
  Transformer model(config, 1, dtype);
  randomise(model, 3);
  const std::unique_ptr<Transformer> folded = fold_skips(model);
  for (const auto& entry : folded->parameters().entries()) {
    EXPECT_FALSE(entry.spec.name.ends_with("_skip_scale")) << entry.spec.name;
  }
  const Batch batch = tiny_batch(config);
  return difference(logits(*folded, batch), logits(model, batch));
}

TEST(Folding, IsExactInEveryForm) {
  ASSERT_GE(foldable().size(), 3u);
  for (const std::string& variant : foldable()) {
    for (Form form : kForms) {
      EXPECT_LE(folding_error(tiny(form, variant), at::kDouble), 1e-12) << case_name(variant, form);
      EXPECT_LE(folding_error(tiny(form, variant), at::kFloat), 1e-5) << case_name(variant, form);
    }
  }
}

TEST(Folding, KeepsTiedEmbeddingsTied) {
  for (const std::string& variant : foldable()) {
    ModelConfig config = tiny(Form::EncoderDecoder, variant);
    config.share_all_embeddings = true;
    config.source_vocab = config.target_vocab;
    EXPECT_LE(folding_error(config, at::kDouble), 1e-12) << variant;
  }
}

TEST(Folding, UsesTheNormOfTheEmbeddingWhereThereIsOne) {
  ModelConfig config = tiny(Form::EncoderDecoder, "admin");
  config.layernorm_embedding = true;
  EXPECT_LE(folding_error(config, at::kDouble), 1e-12);
  EXPECT_FALSE(fold_skips(Transformer(config, 1))->parameters().has("encoder.embedding_gain"));
}

TEST(Folding, WorksForNormsWithAFactorPerFeature) {
  for (NormKind kind : {NormKind::Rms, NormKind::Dyt}) {
    ModelConfig config = tiny(Form::EncoderDecoder, "admin");
    config.norm = kind;
    EXPECT_LE(folding_error(config, at::kDouble), 1e-12) << word(kind);
  }
  ModelConfig config = tiny(Form::EncoderDecoder, "admin");
  config.norm = NormKind::Scale;
  EXPECT_THROW(fold_skips(Transformer(config, 1)), UserError);
}

TEST(Folding, LeavesAStackOfAnotherRowAlone) {
  ModelConfig config = tiny(Form::EncoderDecoder, "admin");
  config.encoder_variant = "sub_ln";
  EXPECT_LE(folding_error(config, at::kDouble), 1e-12);
}

TEST(Folding, RefusesAScaleThatIsNearlyZeroAndNamesIt) {
  Transformer model(tiny(Form::EncoderDecoder, "admin"), 1);
  model.parameters().value("decoder.layers.1.encoder_attn_skip_scale")[3] = 1e-7;
  try {
    fold_skips(model);
    FAIL() << "folded a scale of 1e-7";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("decoder.layers.1.encoder_attn_skip_scale"), std::string::npos);
  }
}

// The appendix of Liu et al. also divides the value matrix of cross-attention, which changes the output.
TEST(Folding, OfTheValueMatrixOfCrossAttentionWouldBeWrong) {
  Transformer model(tiny(Form::EncoderDecoder, "admin"), 1, at::kDouble);
  randomise(model, 3);
  const std::unique_ptr<Transformer> folded = fold_skips(model);
  const at::Tensor omega = model.parameters().value("decoder.layers.0.encoder_attn_skip_scale");
  folded->parameters().value("decoder.layers.0.encoder_attn.v_proj.weight").div_(omega);
  const Batch batch = tiny_batch(model.config());
  EXPECT_GT(difference(logits(*folded, batch), logits(model, batch)), 1e-3);
}

}  // namespace
}  // namespace plumb::test
