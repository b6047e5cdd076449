#include "plumb/probe/lanczos.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

namespace plumb::probe {
namespace {

// Stretches whose products with all vectors of the basis are made while they are in the cache.
constexpr int64_t kStretch = 16384;

double product_of(const at::Tensor& a, const at::Tensor& b) {
  double sum = 0;
  for (int64_t begin = 0; begin < a.numel(); begin += kStretch) {
    const int64_t count = std::min(kStretch, a.numel() - begin);
    sum += a.narrow(0, begin, count).dot(b.narrow(0, begin, count)).item<double>();
  }
  return sum;
}

double length(const at::Tensor& x) {
  return std::sqrt(product_of(x, x));
}

/// Takes from x its part in the first `count` vectors of the basis.
void orthogonalise(LanczosBasis& basis, int64_t count, at::Tensor& x) {
  for (int64_t i = 0; i < count; ++i) {
    const at::Tensor v = basis.at(i);
    x.sub_(v, product_of(x, v));
  }
}

}  // namespace

Lanczos::Lanczos(LanczosBasis& basis, const at::Tensor& start) : basis_(basis) {
  const double norm = length(start);
  TORCH_CHECK(norm > 0 && std::isfinite(norm), "Lanczos' first vector must have a length");
  basis_.at(0).copy_(start / norm);
}

void Lanczos::step(const SymmetricProduct& product) {
  TORCH_CHECK(!state_.exhausted, "there is nothing left to step to");
  const int64_t j = steps();
  const at::Tensor v = basis_.at(j);
  at::Tensor w = product(v).clone();
  const double alpha = product_of(w, v);
  // The recursion's own two vectors are among those that are taken out.
  orthogonalise(basis_, j + 1, w);
  orthogonalise(basis_, j + 1, w);
  state_.alpha.push_back(alpha);
  const double beta = length(w);
  state_.beta.push_back(beta);
  double largest = 0;
  for (size_t i = 0; i < state_.alpha.size(); ++i) {
    largest = std::max({largest, std::abs(state_.alpha[i]), i + 1 < state_.beta.size() ? state_.beta[i] : 0.0});
  }
  // What is left of a vector is rounding when it is so short.
  const double rounding = basis_.where().dtype == at::kFloat ? 1e-6 : 1e-13;
  state_.exhausted = !(beta > rounding * largest);
  if (!state_.exhausted) basis_.at(j + 1).copy_(w / beta);
}

std::vector<double> Lanczos::small_eigenvectors(std::vector<double>& values) const {
  const int64_t m = steps();
  at::Tensor t = at::zeros({m, m}, Where(at::kDouble).options());
  const std::span<double> entries = cpu_numbers<double>(t);
  for (int64_t i = 0; i < m; ++i) {
    const auto diagonal = static_cast<size_t>(i * m + i);
    entries[diagonal] = state_.alpha[static_cast<size_t>(i)];
    if (i + 1 < m)
      entries[diagonal + 1] = entries[diagonal + static_cast<size_t>(m)] = state_.beta[static_cast<size_t>(i)];
  }
  const auto [found, vectors] = at::linalg_eigh(t, "L");
  values = numbers_of<double>(found);
  return numbers_of<double>(vectors);
}

std::vector<Lanczos::Ritz> Lanczos::ritz() const {
  std::vector<double> values;
  const std::vector<double> vectors = small_eigenvectors(values);
  const auto u = [&](int64_t row, int64_t column) { return vectors[static_cast<size_t>(row * steps() + column)]; };
  const double beta = state_.exhausted ? 0 : state_.beta.back();
  std::vector<Ritz> all;
  for (int64_t k = 0; k < steps(); ++k) {
    all.push_back({values[static_cast<size_t>(k)], u(0, k) * u(0, k), std::abs(beta * u(steps() - 1, k))});
  }
  return all;
}

at::Tensor Lanczos::vector(int64_t index) {
  std::vector<double> values;
  const std::vector<double> vectors = small_eigenvectors(values);
  at::Tensor sum = at::zeros({basis_.length()}, basis_.where().options());
  for (int64_t i = 0; i < steps(); ++i) sum.add_(basis_.at(i), vectors[static_cast<size_t>(i * steps() + index)]);
  return sum.div_(length(sum));
}

}  // namespace plumb::probe
