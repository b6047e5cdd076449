#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/probe/lanczos_basis.h"

namespace plumb::probe {

/// y = A x for a symmetric A, on flat vectors of the type of the basis.
using SymmetricProduct = std::function<at::Tensor(const at::Tensor& x)>;

/// Lanczos' recursion with full reorthogonalisation, twice at each step: A V = V T + beta v e^T with orthonormal V and
/// tridiagonal T. Sums over vectors are made in double.
class Lanczos {
 public:
  /// alpha[j] and beta[j] of the steps done; with the basis they are all that is needed to go on.
  struct State {
    std::vector<double> alpha, beta;
    bool exhausted = false;  // the basis spans an invariant subspace: T has exact eigenvalues of A, and no more to come
  };

  /// Begins with `start`, of any length but zero.
  Lanczos(LanczosBasis& basis, const at::Tensor& start);
  /// Goes on where `state` was left, with the same basis.
  Lanczos(LanczosBasis& basis, State state) : basis_(basis), state_(std::move(state)) {}

  void step(const SymmetricProduct& product);

  int64_t steps() const { return std::ssize(state_.alpha); }
  bool exhausted() const { return state_.exhausted; }
  const State& state() const { return state_; }

  /// Eigenvalues of T, ascending, each with its weight in the first vector (they sum to 1) and a bound on its distance
  /// from an eigenvalue of A, |beta u_m|.
  struct Ritz {
    double value, weight, residual;
  };
  std::vector<Ritz> ritz() const;

  /// The unit vector of the Ritz value `index`, in the space of A.
  at::Tensor vector(int64_t index);

 private:
  /// Of T, row by row.
  std::vector<double> small_eigenvectors(std::vector<double>& values) const;

  LanczosBasis& basis_;
  State state_;
};

}  // namespace plumb::probe
