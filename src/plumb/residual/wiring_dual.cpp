// ResiDual (Xie et al. 2023): beside the Post-LN chain runs a second stream that is never normalised on its way.
//
//     r_0 = s x_0,   r <- r + s a for every branch,   out = x + LN_f(r)

#include <ATen/ATen.h>

#include "plumb/residual/wiring.h"

namespace plumb {
namespace {

constexpr double kSecondStreamEps = 1e-7;  // small, because s may shrink the stream

class Dual : public Wiring {
 public:
  Dual(ParameterStore& store, const StackPlan& plan)
      : Wiring(store, plan, /*with_final_norm=*/false),
        norm(store, {.stack = plan.stack, .module = "layer_norm"}, plan.norm, plan.shape.width, kSecondStreamEps),
        scale(plan.options.residual_dual_scale) {}

  std::unique_ptr<Flow> start(const at::Tensor& x0, const FlowAlgebra& algebra) const override;
  bool passes_norms() const override { return true; }

  const Norm norm;
  const double scale;
};

class DualFlow : public Flow {
 public:
  DualFlow(const Dual& wiring, const at::Tensor& x0) : wiring_(wiring), x_(x0), second_(scaled(x0)) {}

  at::Tensor enter(int) override { return x_; }
  void branch(const ops::ResidualTerms& a) override {
    ops::ResidualTerms sum = a;
    sum.x = second_;
    sum.g.value = wiring_.scale;
    second_ = ops::residual(sum);
  }
  bool sees_branches() const override { return true; }
  void leave(int, const at::Tensor& y) override { x_ = y; }
  at::Tensor out() override { return wiring_.finish(x_ + wiring_.norm(second_)); }

 private:
  at::Tensor scaled(const at::Tensor& x) const { return wiring_.scale == 1 ? x : x * wiring_.scale; }

  const Dual& wiring_;
  at::Tensor x_, second_;
};

// Layers read the first stream alone, which is a chain: any algebra has it.
std::unique_ptr<Flow> Dual::start(const at::Tensor& x0, const FlowAlgebra&) const {
  return std::make_unique<DualFlow>(*this, x0);
}

}  // namespace

std::unique_ptr<Wiring> make_dual(ParameterStore& store, const StackPlan& plan) {
  return std::make_unique<Dual>(store, plan);
}

}  // namespace plumb
