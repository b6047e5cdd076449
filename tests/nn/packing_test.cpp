// What a sequence shares a batch with, and what comes after a position, must not matter.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

class PackingOfEveryRow : public EveryRow {};

TEST_P(PackingOfEveryRow, EqualsOneSequenceAtATime) {
  Transformer model(config(), 1, at::kDouble);
  randomise(model, 5);
  const Batch batch = tiny_batch(config());
  const at::Tensor packed = logits(model, batch);
  for (int64_t b = 0; b < 3; ++b) {
    EXPECT_LE(difference(rows_of(packed, batch, config(), b), logits(model, only(batch, b))), 1e-12) << b;
  }
}

TEST_P(PackingOfEveryRow, EqualsOneSequenceAtATimeWithDropoutOn) {
  ModelConfig dropped = config();
  dropped.dropout = dropped.attention_dropout = dropped.activation_dropout = 0.3;
  Transformer model(dropped, 1, at::kDouble);
  randomise(model, 5);
  const Batch batch = tiny_batch(dropped);
  const Pass pass{.training = true, .seed = 9, .step = 4};
  at::NoGradGuard no_grad;
  const at::Tensor packed = model.features(batch, pass);
  EXPECT_GT(difference(packed, model.features(batch, {})), 1e-3) << "dropout changes nothing";
  for (int64_t b = 0; b < 3; ++b) {
    const at::Tensor alone = model.features(only(batch, b), pass);
    EXPECT_LE(difference(rows_of(packed, batch, dropped, b), alone), 1e-12) << b;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, PackingOfEveryRow, every_row(), row_name);

class CausalityOfEveryRow : public EveryRow {};

TEST_P(CausalityOfEveryRow, NoFutureTokenChangesWhatStandsBeforeIt) {
  Transformer model(config(), 1, at::kDouble);
  randomise(model, 5);
  const Batch batch = only(tiny_batch(config()), 1);
  const at::Tensor before = logits(model, batch);
  for (int64_t position = 0; position < batch.target.ids.numel(); ++position) {
    Batch changed = batch;
    changed.target.ids = batch.target.ids.clone();
    changed.target.ids[position] = 12;
    const at::Tensor after = logits(model, changed);
    EXPECT_TRUE(at::equal(before.narrow(0, 0, position), after.narrow(0, 0, position))) << position;
    EXPECT_GT(difference(before[position], after[position]), 1e-6) << position;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, CausalityOfEveryRow, every_row({Form::EncoderDecoder, Form::Decoder}), row_name);

class CrossAttentionOfEveryRow : public EveryRow {};

TEST_P(CrossAttentionOfEveryRow, EverySourceTokenReachesItsOwnTargetAndNoOther) {
  Transformer model(config(), 1, at::kDouble);
  randomise(model, 5);
  const Batch batch = tiny_batch(config());
  const at::Tensor before = logits(model, batch);
  for (int64_t row = 0; row < batch.source.ids.numel(); ++row) {
    Batch changed = batch;
    changed.source.ids = batch.source.ids.clone();
    changed.source.ids[row] = 3;
    const at::Tensor after = logits(model, changed);
    for (int64_t b = 0; b < 3; ++b) {
      const at::Tensor old_rows = rows_of(before, batch, config(), b), new_rows = rows_of(after, batch, config(), b);
      const ops::Packed& source = batch.source.rows;
      const bool own = row >= source.begin(b) && row < source.begin(b) + source.length(b);
      if (own) {
        EXPECT_GT((old_rows - new_rows).abs().amax(1).min().item<double>(), 1e-9) << row << ' ' << b;
      } else {
        EXPECT_LE(difference(old_rows, new_rows), 1e-14) << row << ' ' << b;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, CrossAttentionOfEveryRow, every_row({Form::EncoderDecoder}), row_name);

TEST(Packing, ASequenceLongerThanThePositionsIsRefused) {
  ModelConfig config = tiny(Form::Decoder, "pre_ln");
  config.max_positions = 4;
  const Transformer model(config, 1, at::kDouble);
  EXPECT_ANY_THROW(logits(model, tiny_batch(config)));
}

}  // namespace
}  // namespace plumb::test
