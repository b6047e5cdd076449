// Layers that are computed again in the backward pass give the very same gradients, and keep less meanwhile.

#include <ATen/ATen.h>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

class RecomputedRow : public EveryRow {};

at::Tensor gradients(Transformer& model, const Batch& batch, bool recompute) {
  model.parameters().zero_gradients();
  const Pass pass{.training = true, .seed = 9, .step = 4, .recompute = recompute};
  loss(model, batch, pass).backward();
  return model.parameters().gradients().clone();
}

TEST_P(RecomputedRow, HasTheSameGradients) {
  ModelConfig dropped = config();
  dropped.dropout = dropped.attention_dropout = dropped.activation_dropout = 0.2;
  const Batch batch = tiny_batch(config());
  for (at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    Transformer model(dropped, 1, dtype);
    randomise(model, 5);
    const at::Tensor plain = gradients(model, batch, false), again = gradients(model, batch, true);
    EXPECT_GT(plain.abs().max().item<double>(), 0);
    // Sums over several uses of a tensor may be made in another order.
    const double tolerance = dtype == at::kFloat ? 1e-5 : 1e-13;
    EXPECT_LE((plain - again).abs().max().item<double>(), tolerance * plain.abs().max().item<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Table, RecomputedRow, every_row(), row_name);

}  // namespace
}  // namespace plumb::test
