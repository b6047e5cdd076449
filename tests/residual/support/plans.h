#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/config/stack_plan.h"
#include "plumb/residual/wiring.h"
#include "plumb/store/parameter_store.h"

#include "support/numbers.h"

/// Plans of small stacks, and what the oracles of this folder compute with.
namespace plumb::test {

constexpr int kWidth = 6;

/// A row of no paper: the same rule in every place, a plain chain, no ending.
Variant row_with(const Rule& rule);

/// A stack of an encoder-decoder with 5 and 4 layers of width 6. `row` must outlive the plan.
StackPlan plan_of(const Variant& row, Stack stack = Stack::Encoder, NormKind norm = NormKind::Layer);

/// Allocates the store in double; every parameter gets random values between 0.4 and 1.4, of either sign.
void allocate_random(ParameterStore& store, uint64_t seed);

/// [rows, width] random normal numbers, shifted and stretched so that no row looks normalised.
at::Tensor random(int64_t rows, uint64_t seed, int64_t width = kWidth);

/// The largest difference of two elements; infinite if the shapes differ.
double largest_gap(const at::Tensor& actual, const Rows& expected);

/// LayerNorm by the definition, with the weights that the store holds under that name.
Rows plain_layer_norm(const Rows& x, const ParameterStore& store, const std::string& name, double eps = 1e-5);
/// The numbers of a vector parameter.
Row vector_of(const ParameterStore& store, const std::string& name);

/// A flow that only remembers the branches it was shown.
class RememberedFlow : public Flow {
 public:
  at::Tensor enter(int) override { return {}; }
  void branch(const ops::ResidualTerms& a) override { branches.push_back(ops::residual(a)); }
  void leave(int, const at::Tensor&) override {}
  at::Tensor out() override { return {}; }

  std::vector<at::Tensor> branches;
};

}  // namespace plumb::test
