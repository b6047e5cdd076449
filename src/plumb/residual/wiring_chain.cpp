#include "plumb/residual/wiring.h"

namespace plumb {
namespace {

class ChainFlow : public Flow {
 public:
  ChainFlow(const Wiring& wiring, const at::Tensor& x0) : wiring_(wiring), x_(x0) {}

  at::Tensor enter(int) override { return x_; }
  void leave(int, const at::Tensor& y) override { x_ = y; }
  at::Tensor out() override { return wiring_.finish(x_); }

 private:
  const Wiring& wiring_;
  at::Tensor x_;
};

class Chain : public Wiring {
 public:
  Chain(ParameterStore& store, const StackPlan& plan) : Wiring(store, plan, plan.final_norm) {}
  std::unique_ptr<Flow> start(const at::Tensor& x0, const FlowAlgebra&) const override {
    return std::make_unique<ChainFlow>(*this, x0);
  }
};

}  // namespace

std::unique_ptr<Wiring> make_chain(ParameterStore& store, const StackPlan& plan) {
  return std::make_unique<Chain>(store, plan);
}

}  // namespace plumb
