// Every variant on the fused path: its loss and gradients against the same model in double on the reference path, with
// dropout on, and that they depend neither on the number of threads nor on what shares a batch.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include "plumb/ops/path.h"

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

const Pass kPass{.training = true, .seed = 9, .step = 4};

class FusedRow : public EveryRow {
 protected:
  void TearDown() override { at::set_num_threads(1); }

  ModelConfig dropped() const {
    ModelConfig model = config();
    model.dropout = model.attention_dropout = model.activation_dropout = 0.2;
    return model;
  }

  /// A float model, and one in double with the very same weights.
  void copy_weights(const Transformer& from, Transformer& to) {
    to.parameters().values().copy_(from.parameters().values());
  }

  static double train_loss(Transformer& model, const Batch& batch) {
    const at::Tensor ids = last_tokens(batch, model.config()).ids;
    const auto sums = model.cross_entropies(model.features(batch, kPass), at::roll(ids, -1), 0.1, SmoothingOver::All);
    sums.smoothed.backward();
    return sums.smoothed.item<double>();
  }
};

TEST_P(FusedRow, AgreesWithTheReferenceInDouble) {
  Transformer fused(dropped(), 1, at::kFloat), exact(dropped(), 1, at::kDouble);
  randomise(fused, 5);
  copy_weights(fused, exact);
  const Batch batch = tiny_batch(config());
  const int64_t calls = ops::reference_calls();
  const double loss = train_loss(fused, batch);
  EXPECT_EQ(ops::reference_calls(), calls) << "an op took the reference path";
  const double exact_loss = train_loss(exact, batch);
  EXPECT_NEAR(loss, exact_loss, 1e-5 * std::abs(exact_loss));
  for (const auto& entry : fused.parameters().entries()) {
    const at::Tensor want = exact.parameters().gradient(entry.spec.name);
    const at::Tensor have = fused.parameters().gradient(entry.spec.name).to(at::kDouble);
    // A gradient that cancels to nothing is compared with what it is made of: the scale of all gradients.
    const double scale = std::max(want.abs().max().item<double>(), 1e-2);
    EXPECT_LE((have - want).abs().max().item<double>() / scale, 1e-3) << entry.spec.name;
  }
}

TEST_P(FusedRow, DoesNotDependOnTheNumberOfThreads) {
  Transformer one(dropped(), 1, at::kFloat), two(dropped(), 1, at::kFloat);
  const Batch batch = tiny_batch(config());
  const double loss = train_loss(one, batch);
  at::set_num_threads(2);
  EXPECT_EQ(train_loss(two, batch), loss);
  EXPECT_TRUE(at::equal(one.parameters().gradients(), two.parameters().gradients()));
}

TEST_P(FusedRow, EqualsOneSequenceAtATime) {
  Transformer model(dropped(), 1, at::kFloat);
  randomise(model, 5);
  const Batch batch = tiny_batch(config());
  at::NoGradGuard no_grad;
  const at::Tensor packed = model.features(batch, kPass);
  for (int64_t b = 0; b < 3; ++b) {
    EXPECT_LE(difference(rows_of(packed, batch, config(), b), model.features(only(batch, b), kPass)), 1e-5) << b;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, FusedRow, every_row(), row_name);

}  // namespace
}  // namespace plumb::test
