// The spectrum of a small Transformer's Hessian against the dense matrix, in double.

#include "plumb/probe/hessian.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/ops/path.h"
#include "plumb/probe/lanczos.h"
#include "plumb/probe/lanczos_file.h"

#include "support/temporary_directory.h"

namespace plumb::probe {
namespace {

Config small_config(const std::string& variant) {
  Config config;
  config.model.variant = variant;
  config.model.width = 4;
  config.model.ffn_width = 4;
  config.model.heads = 1;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.model.source_vocab = config.model.target_vocab = 12;
  config.model.share_all_embeddings = true;
  config.model.max_positions = 32;
  config.probe.curvature_pairs = 2;
  config.probe.batch_tokens = 60;
  config.probe.batches = 2;
  return config;
}

/// A model of at most 2,000 parameters in double, moved off its symmetric start.
struct Small {
  explicit Small(const std::string& variant)
      : config(small_config(variant)),
        sample(random_sample(config)),
        model(config.model, 3, at::kDouble),
        subject(config, sample, 3),
        hessian(subject, model) {
    at::manual_seed(5);
    for (const auto& entry : model.parameters().entries()) {
      at::Tensor value = model.parameters().value(entry.spec.name);
      value.add_(at::randn_like(value), 0.1);
    }
  }

  std::vector<int64_t> places() const {
    std::vector<int64_t> all;
    for (const auto& entry : model.parameters().entries()) {
      for (int64_t i = 0; i < entry.count; ++i) all.push_back(entry.offset + i);
    }
    return all;
  }

  /// The dense matrix in the place of the Hessian, which was compared with it column by column: it costs less.
  at::Tensor times(const at::Tensor& dense, const at::Tensor& v) const {
    const at::Tensor rows = at::tensor(places(), at::kLong);
    return at::zeros_like(v).index_copy(0, rows, dense.mv(v.index_select(0, rows)));
  }

  /// Column by column, without the gaps.
  at::Tensor dense() const {
    const at::Tensor rows = at::tensor(places(), at::kLong);
    std::vector<at::Tensor> columns;
    for (int64_t place : places()) {
      at::Tensor unit = at::zeros_like(model.parameters().values());
      unit[place] = 1;
      columns.push_back(hessian.times(unit).index_select(0, rows));
    }
    return at::stack(columns, 1);
  }

  ops::PathScope reference{ops::Path::Reference};
  Config config;
  Sample sample;
  Transformer model;
  Subject subject;
  Hessian hessian;
};

double at_place(const at::Tensor& x, int64_t i) {
  return x[i < 0 ? x.numel() + i : i].item<double>();
}

TEST(HessianOfASmallModel, HasTheEndsAndTheDensityOfItsDenseMatrix) {
  const Small small("post_ln");
  const at::Tensor dense = small.dense();
  const int64_t n = dense.size(0);
  ASSERT_LE(n, 2000);
  EXPECT_LE(((dense - dense.t()).abs().max() / dense.abs().max()).item<double>(), 1e-9);
  const at::Tensor exact = at::linalg_eigvalsh(dense, "L");

  // The mean over four random starts: one alone has an error of 1 / sqrt(n), about 0.05 here.
  constexpr int kStarts = 4, kSteps = 100;
  std::vector<std::pair<double, double>> nodes;
  for (uint64_t start = 1; start <= kStarts; ++start) {
    LanczosBasis basis(small.model.parameters().values().numel(), kSteps + 1, {}, at::kDouble);
    at::manual_seed(start);
    Lanczos lanczos(basis, (at::rand_like(small.hessian.mask()) - 0.5).sign() * small.hessian.mask());
    for (int step = 0; step < kSteps; ++step) lanczos.step([&](const at::Tensor& v) { return small.times(dense, v); });
    const auto ritz = lanczos.ritz();
    const auto at_end = [&](int64_t i) { return ritz[static_cast<size_t>(i < 0 ? std::ssize(ritz) + i : i)].value; };
    for (int64_t i : {0, 1, 2, 3, 4, -1, -2, -3, -4, -5}) {
      EXPECT_NEAR(at_end(i), at_place(exact, i), 1e-6 * std::abs(at_place(exact, i))) << i;
    }
    for (const auto& node : ritz) nodes.emplace_back(node.value, node.weight / kStarts);
  }

  // Kolmogorov and Smirnov: the largest distance between the two distributions of eigenvalues. Both are seen through
  // the kernel of the density, since a cluster of zeros is a step that no quadrature hits exactly.
  const double width = (at_place(exact, -1) - at_place(exact, 0)) / kSteps;
  const auto below = [&](double at, double value) { return 0.5 * std::erfc((value - at) / (width * std::sqrt(2.0))); };
  double distance = 0;
  for (double at = at_place(exact, 0); at < at_place(exact, -1); at += width / 2) {
    double quadrature = 0, truth = 0;
    for (const auto& [value, weight] : nodes) quadrature += weight * below(at, value);
    for (int64_t i = 0; i < n; ++i) truth += below(at, at_place(exact, i)) / static_cast<double>(n);
    distance = std::max(distance, std::abs(quadrature - truth));
  }
  EXPECT_LE(distance, 0.03);
}

TEST(HessianOfASmallModel, IsTheDerivativeOfItsGradient) {
  Small small("b2t");
  at::manual_seed(2);
  const at::Tensor v = at::randn_like(small.hessian.mask()) * small.hessian.mask();
  const at::Tensor product = small.hessian.times(v);
  const double step = 1e-5;
  at::Tensor values = small.model.parameters().values();
  values.add_(v, step);
  const at::Tensor above = small.hessian.gradient();
  values.add_(v, -2 * step);
  const at::Tensor below = small.hessian.gradient();
  EXPECT_LE(((above - below) / (2 * step) - product).norm().item<double>(), 1e-5 * product.norm().item<double>());
}

TEST(HessianOfASmallModel, IsSymmetric) {
  const Small small("pre_ln");
  at::manual_seed(3);
  const at::Tensor a = at::randn_like(small.hessian.mask()) * small.hessian.mask();
  const at::Tensor b = at::randn_like(small.hessian.mask()) * small.hessian.mask();
  const double ab = a.dot(small.hessian.times(b)).item<double>(), ba = b.dot(small.hessian.times(a)).item<double>();
  EXPECT_NEAR(ab, ba, 1e-9 * std::abs(ab));
}

// Chunks are weighted by their tokens: however the set is cut, it is the same mean.
TEST(HessianOfASmallModel, DoesNotDependOnTheChunks) {
  Small small("post_ln");
  Sample halves = small.sample;
  halves.fixed = small.sample.batches;
  ASSERT_EQ(halves.fixed.size(), 2u);
  const Subject in_two(small.config, halves, 3);
  const Hessian both(in_two, small.model);
  at::manual_seed(4);
  const at::Tensor v = at::randn_like(small.hessian.mask()) * small.hessian.mask();
  at::Tensor expected = at::zeros_like(v);
  int64_t tokens = 0;
  for (const ProbeBatch& batch : halves.fixed) tokens += batch.tokens();
  for (const ProbeBatch& batch : halves.fixed) {
    Sample alone = small.sample;
    alone.fixed = {batch};
    const Subject subject(small.config, alone, 3);
    expected +=
        Hessian(subject, small.model).times(v) * (static_cast<double>(batch.tokens()) / static_cast<double>(tokens));
  }
  EXPECT_LE((both.times(v) - expected).norm().item<double>(), 1e-12 * expected.norm().item<double>());
}

TEST(LanczosFile, ForgetsWhatBelongsToSomethingElse) {
  const TemporaryDirectory folder;
  const Lanczos::State state{{1, 2}, {0.5, 0.25}, false};
  LanczosFile(folder.path() / "a.json", "one").save(state);
  EXPECT_EQ(LanczosFile(folder.path() / "a.json", "one").load().alpha, state.alpha);
  EXPECT_TRUE(LanczosFile(folder.path() / "a.json", "two").load().alpha.empty());
  EXPECT_TRUE(LanczosFile(folder.path() / "b.json", "one").load().alpha.empty());
}

}  // namespace
}  // namespace plumb::probe
