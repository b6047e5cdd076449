// Taps of a whole model: every point that the papers measure, with its gradient, for every row.

#include "plumb/residual/taps.h"

#include <set>

#include <ATen/ATen.h>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

std::set<std::string> expected_names(const ModelConfig& config) {
  std::set<std::string> names;
  const Shape shape = config.shape();
  for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
    if (!shape.has(stack)) continue;
    const std::string prefix = std::string(word(stack)) + '.';
    names.insert({prefix + "embed", prefix + "out"});
    for (int layer = 0; layer < shape.layers(stack); ++layer) {
      for (Sublayer sublayer : shape.order(stack)) {
        for (const char* point : {"in", "branch", "sum", "out"}) {
          names.insert(prefix + std::to_string(layer) + '.' + std::string(word(sublayer)) + '.' + point);
        }
      }
    }
  }
  return names;
}

class TapsOfEveryRow : public EveryRow {};

TEST_P(TapsOfEveryRow, ShowEveryPointWithItsGradientAndChangeNothing) {
  Transformer model(config(), 1, at::kDouble);
  randomise(model, 5);
  const Batch batch = tiny_batch(config());
  TapRecorder taps;
  const at::Tensor watched = loss(model, batch, {.observer = &taps});
  EXPECT_EQ(watched.item<double>(), loss(model, batch).item<double>());
  watched.backward();
  std::set<std::string> names;
  for (const auto& record : taps.records()) {
    names.insert(record.tap.name());
    ASSERT_TRUE(record.value.grad().defined()) << record.tap.name();
    EXPECT_GT(record.value.grad().norm().item<double>(), 0) << record.tap.name();
  }
  EXPECT_EQ(names, expected_names(config()));
}

INSTANTIATE_TEST_SUITE_P(Table, TapsOfEveryRow, every_row(), row_name);

// The gradient at a tap is the slope of the loss along it: here at the embedding, moved through the token table.
TEST(Taps, OfTheEmbeddingHaveTheGradientOfTheTokenTable) {
  ModelConfig config = tiny(Form::Decoder, "post_ln");
  Transformer model(config, 1, at::kDouble);
  randomise(model, 5);
  const Batch batch = tiny_batch(config);
  TapRecorder taps;
  model.parameters().zero_gradients();
  loss(model, batch, {.observer = &taps}).backward();
  const at::Tensor from_tap = at::zeros({config.target_vocab, config.width}, at::kDouble)
                                  .index_add(0, batch.target.ids, taps.gradient("decoder.embed") * std::sqrt(8.0));
  EXPECT_LE(difference(model.parameters().gradient("decoder.embed_tokens.weight"), from_tap), 1e-14);
}

}  // namespace
}  // namespace plumb::test
