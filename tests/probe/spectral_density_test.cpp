#include "plumb/probe/spectral_density.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::probe {
namespace {

using namespace plumb::test;

using Nodes = std::vector<std::vector<Lanczos::Ritz>>;

TEST(SpectralDensity, OfOneNodeIsANormalDistribution) {
  const Nodes nodes = {{{2, 1, 0}}};
  const SpectralDensity density = spectral_density(nodes, 1001, 0.02);
  EXPECT_NEAR(density.integral(), 1, 1e-6);
  const auto peak = std::ranges::max_element(density.value) - density.value.begin();
  EXPECT_NEAR(density.at[static_cast<size_t>(peak)], 2, 1e-3);
  EXPECT_NEAR(density.value[static_cast<size_t>(peak)], 1 / (std::sqrt(2 * M_PI) * 0.02), 0.1);
}

TEST(SpectralDensity, IsTheMeanOverTheStarts) {
  const Nodes nodes = {{{-1, 0.25, 0}, {1, 0.75, 0}}, {{-1, 0.75, 0}, {1, 0.25, 0}}};
  const SpectralDensity density = spectral_density(nodes, 2001, 0.01);
  EXPECT_NEAR(density.integral(), 1, 1e-6);
  const auto value_at = [&](double place) {
    return density.value[static_cast<size_t>(std::lround((place - density.at[0]) / (density.at[1] - density.at[0])))];
  };
  EXPECT_NEAR(value_at(-1), value_at(1), 1e-6);
  EXPECT_NEAR(value_at(0), 0, 1e-12);
}

// A random symmetric matrix has eigenvalues in a half circle of radius 2 (Wigner).
TEST(SpectralDensity, OfARandomMatrixIsAHalfCircle) {
  const int64_t n = 600;
  const at::Tensor a = random({n, n}, 1);
  const at::Tensor symmetric = ((a + a.t()) / std::sqrt(2.0 * static_cast<double>(n))).to(at::kFloat);
  Nodes nodes;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    LanczosBasis basis(n, 41);
    Lanczos lanczos(basis, random({n}, 50 + seed).sign().to(at::kFloat));
    for (int step = 0; step < 40; ++step) lanczos.step([&](const at::Tensor& x) { return symmetric.mv(x); });
    nodes.push_back(lanczos.ritz());
  }
  EXPECT_NEAR(nodes[0].back().value, 2, 0.1);
  EXPECT_NEAR(nodes[0].front().value, -2, 0.1);
  const SpectralDensity density = spectral_density(nodes, 500, 0.15);
  for (size_t i = 0; i < density.at.size(); i += 20) {
    if (std::abs(density.at[i]) > 1.6) continue;  // the bells blur the ends
    const double circle = std::sqrt(4 - density.at[i] * density.at[i]) / (2 * M_PI);
    EXPECT_NEAR(density.value[i], circle, 0.04) << density.at[i];
  }
}

}  // namespace
}  // namespace plumb::probe
