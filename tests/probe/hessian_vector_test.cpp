// The product of the Hessian with a vector, for every variant: on the fused path in float against differentiating twice
// on the reference path in double, with dropout on; and against a model whose Hessian is known.

#include "plumb/probe/hessian_vector.h"

#include <ATen/ATen.h>

#include "plumb/ops/path.h"

#include "nn/support/every_row.h"

namespace plumb::probe {
namespace {

using namespace plumb::test;

class HessianVector : public EveryRow {
 protected:
  ModelConfig dropped() const {
    ModelConfig model = config();
    model.dropout = model.attention_dropout = model.activation_dropout = 0.2;
    return model;
  }

  /// H v is left in the gradients.
  static double multiply(Transformer& model, const at::Tensor& v, const Batch& batch) {
    return add_hessian_vector(model.parameters(), v, [&] {
      const Pass pass{.training = true, .seed = 9, .step = 4};
      const at::Tensor ids = last_tokens(batch, model.config()).ids;
      return model.cross_entropies(model.features(batch, pass), at::roll(ids, -1), 0.1, SmoothingOver::All).smoothed;
    });
  }
};

TEST_P(HessianVector, AgreesWithDifferentiatingTwiceInDouble) {
  Transformer fused(dropped(), 1, at::kFloat), exact(dropped(), 1, at::kDouble), vector(dropped(), 1, at::kDouble);
  randomise(fused, 5);
  randomise(vector, 6);  // has nothing in the gaps between the parameters, as every vector must
  exact.parameters().values().copy_(fused.parameters().values());
  const Batch batch = tiny_batch(config());
  const at::Tensor v = vector.parameters().values().to(at::kFloat);
  const double slope = multiply(fused, v, batch);
  const ops::PathScope reference(ops::Path::Reference);
  const double exact_slope = multiply(exact, v.to(at::kDouble), batch);
  EXPECT_NEAR(slope, exact_slope, 1e-4 * std::max(1.0, std::abs(exact_slope)));
  const double largest = exact.parameters().gradients().abs().max().item<double>();
  for (const auto& entry : fused.parameters().entries()) {
    const at::Tensor want = exact.parameters().gradient(entry.spec.name);
    const at::Tensor have = fused.parameters().gradient(entry.spec.name).to(at::kDouble);
    // What cancels to nothing is compared with what it is made of.
    const double scale = std::max(want.abs().max().item<double>(), 1e-3 * largest);
    EXPECT_LE((have - want).abs().max().item<double>() / scale, 1e-3) << entry.spec.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, HessianVector, every_row(), row_name);

// L = sum of (A x)^4 / 12 has the Hessian A^T diag((A x)^2) A.
TEST(HessianVectorOf, AQuartic) {
  ParameterStore store;
  const Parameter x = store.declare({"x", {3}, {.value = 0}});
  store.allocate(at::kDouble);
  x->detach().copy_(at::tensor({0.5, -1.0, 2.0}, at::kDouble));
  const at::Tensor a = at::tensor({1.0, 2.0, 0.0, -1.0, 0.5, 3.0}, at::kDouble).view({2, 3});
  at::Tensor v = at::zeros_like(store.values());
  v.narrow(0, 0, 3).copy_(at::tensor({1.0, -2.0, 0.25}, at::kDouble));
  const at::Tensor direction = v.narrow(0, 0, 3), ax = a.mv(x->detach());
  const at::Tensor expected = a.t().mv(ax.square() * a.mv(direction));
  for (ops::Path path : {ops::Path::Fused, ops::Path::Reference}) {
    const ops::PathScope scope(path);
    store.zero_gradients();
    for (int64_t times : {1, 2}) {  // it adds
      const double slope = add_hessian_vector(store, v, [&] { return a.mv(*x).pow(4).sum() / 12; });
      EXPECT_NEAR(slope, (ax.pow(3) / 3).dot(a.mv(direction)).item<double>(), 1e-12);
      EXPECT_LE((store.gradient("x") - times * expected).abs().max().item<double>(), 1e-12);
    }
  }
}

TEST(HessianVectorOf, AVectorOfAnotherLayoutIsRefused) {
  ParameterStore store;
  const Parameter x = store.declare({"x", {3}, {.value = 1}});
  store.allocate(at::kFloat);
  EXPECT_THROW(add_hessian_vector(store, at::zeros({3}), [&] { return x->sum(); }), c10::Error);
}

}  // namespace
}  // namespace plumb::probe
