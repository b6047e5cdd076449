#include "plumb/probe/lanczos.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"
#include "support/temporary_directory.h"

namespace plumb::probe {
namespace {

using namespace plumb::test;

constexpr int64_t kSize = 60;

/// A symmetric matrix with eigenvalues that are known, in a random basis.
struct Known {
  at::Tensor values, vectors, matrix;

  explicit Known(const at::Tensor& eigenvalues)
      : values(eigenvalues), vectors(std::get<0>(at::linalg_qr(random({kSize, kSize}, 3)))) {
    matrix = vectors.mm(values.diag()).mm(vectors.t());
  }

  SymmetricProduct product() const {
    return [m = matrix.to(at::kFloat)](const at::Tensor& x) { return m.mv(x); };
  }
};

at::Tensor spread() {  // from -2 to 5, with one far out
  at::Tensor values = at::linspace(-2, 5, kSize, at::kDouble);
  values[kSize - 1] = 9;
  return values;
}

at::Tensor start(uint64_t seed = 7) {
  return random({kSize}, seed).sign().to(at::kFloat);
}

TEST(Lanczos, ReachesTheEndsOfTheSpectrumWithinItsOwnBounds) {
  const Known known(spread());
  LanczosBasis basis(kSize, kSize + 1);
  Lanczos lanczos(basis, start());
  for (int step = 0; step < 30; ++step) lanczos.step(known.product());
  const auto ritz = lanczos.ritz();
  EXPECT_NEAR(ritz.back().value, 9, 1e-4);
  for (const auto& one : ritz) {
    const double distance = (known.values - one.value).abs().min().item<double>();
    EXPECT_LE(distance, one.residual + 1e-4);
  }
  EXPECT_LE(ritz.back().residual, 1e-3);
  // The vector belongs to the value.
  const at::Tensor top = lanczos.vector(29).to(at::kDouble);
  EXPECT_LE((known.matrix.mv(top) - 9 * top).norm().item<double>(), 1e-3);
}

TEST(Lanczos, KeepsItsBasisOrthonormal) {
  const Known known(spread());
  LanczosBasis basis(kSize, kSize + 1);
  Lanczos lanczos(basis, start());
  for (int step = 0; step < 50; ++step) lanczos.step(known.product());
  std::vector<at::Tensor> vectors;
  for (int64_t i = 0; i < 50; ++i) vectors.push_back(basis.at(i));
  const at::Tensor v = at::stack(vectors).to(at::kDouble);
  EXPECT_LE((v.mm(v.t()) - at::eye(50, at::kDouble)).abs().max().item<double>(), 1e-5);
}

// Gauss quadrature: m steps integrate polynomials up to degree 2 m - 1 exactly.
TEST(Lanczos, WeightsIntegrateMoments) {
  const Known known(spread());
  LanczosBasis basis(kSize, kSize + 1);
  const at::Tensor first = start();
  Lanczos lanczos(basis, first);
  for (int step = 0; step < 4; ++step) lanczos.step(known.product());
  const at::Tensor unit = (first / first.norm()).to(at::kDouble);
  at::Tensor power = unit;
  for (int degree = 0; degree <= 7; ++degree) {
    double sum = 0;
    for (const auto& one : lanczos.ritz()) sum += one.weight * std::pow(one.value, degree);
    const double moment = unit.dot(power).item<double>();
    EXPECT_NEAR(sum, moment, 1e-5 * std::max(1.0, std::abs(moment))) << degree;
    power = known.matrix.mv(power);
  }
}

TEST(Lanczos, EndsWhenThereAreNoMoreEigenvalues) {
  at::Tensor values = at::zeros({kSize}, at::kDouble);
  values.narrow(0, 0, 20).fill_(3);
  values.narrow(0, 20, 20).fill_(-1);
  const Known known(values);
  LanczosBasis basis(kSize, kSize + 1);
  Lanczos lanczos(basis, start());
  while (!lanczos.exhausted()) lanczos.step(known.product());
  EXPECT_EQ(lanczos.steps(), 3);
  const auto ritz = lanczos.ritz();
  EXPECT_NEAR(ritz[0].value, -1, 1e-5);
  EXPECT_NEAR(ritz[1].value, 0, 1e-5);
  EXPECT_NEAR(ritz[2].value, 3, 1e-5);
  EXPECT_EQ(ritz[2].residual, 0);
}

TEST(Lanczos, GoesOnFromAFileAsIfNothingHadHappened) {
  const Known known(spread());
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "basis";
  Lanczos::State state;
  {
    LanczosBasis basis(kSize, 21, file);
    Lanczos lanczos(basis, start());
    for (int step = 0; step < 8; ++step) lanczos.step(known.product());
    basis.sync();
    state = lanczos.state();
  }
  LanczosBasis again(kSize, 21, file), memory(kSize, 21);
  Lanczos resumed(again, state), whole(memory, start());
  for (int step = 0; step < 12; ++step) resumed.step(known.product());
  for (int step = 0; step < 20; ++step) whole.step(known.product());
  EXPECT_EQ(resumed.state().alpha, whole.state().alpha);
  EXPECT_EQ(resumed.state().beta, whole.state().beta);
}

TEST(Lanczos, RefusesAStartWithoutADirection) {
  LanczosBasis basis(kSize, 3);
  EXPECT_THROW(Lanczos(basis, at::zeros({kSize})), c10::Error);
}

}  // namespace
}  // namespace plumb::probe
