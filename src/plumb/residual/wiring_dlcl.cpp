// Dynamic linear combination of layers (Wang et al. 2019): each layer reads a learned mix of all earlier outputs.
//
//     pre   x_{l+1} = sum_k W_lk LN_k(y_k)       y_0 (the embedding) without a norm
//     post  x_{l+1} = LN_{l+1}(sum_k W_lk y_k)   the first layer reads the embedding without a norm
//
// Row l of W has l + 1 numbers, 1 / (l + 1) at first, and no constraint. One more row after the last layer gives what
// the stack gives.

#include "plumb/residual/wiring.h"

namespace plumb {
namespace {

class Dlcl : public Wiring {
 public:
  Dlcl(ParameterStore& store, const StackPlan& plan, bool norm_before_mixing)
      : Wiring(store, plan, plan.final_norm), norm_before_mixing_(norm_before_mixing) {
    const ParameterPlace history{.stack = plan.stack, .module = "history"};
    const int layers = plan.shape.layers(plan.stack);
    norms_.emplace_back();  // the embedding has none
    for (int row = 0; row <= layers; ++row) {
      const std::string number = '.' + std::to_string(row);
      weights_.push_back(store.declare(history.inside("weights" + number), {}, {row + 1}, {.value = 1.0 / (row + 1)}));
      if (row == 0) continue;
      norms_.emplace_back(store, history.inside("layer_norms" + number), plan.norm, plan.shape.width, plan.norm_eps);
    }
  }

  std::unique_ptr<Flow> start(const at::Tensor& x0, const FlowAlgebra& algebra) const override;
  bool passes_norms() const override { return true; }  // every mix has a share of the embedding

  /// What is kept of the output of layer `index` (0: the embedding).
  at::Tensor stored(size_t index, const at::Tensor& y, const FlowAlgebra& algebra) const {
    return norm_before_mixing_ ? normed(index, y, algebra) : y;
  }

  at::Tensor mixed(const std::vector<at::Tensor>& history, const FlowAlgebra& algebra) const {
    const size_t row = history.size() - 1;
    const at::Tensor sum = algebra.mixed(history, *weights_[row]);
    return norm_before_mixing_ ? sum : normed(row, sum, algebra);
  }

 private:
  at::Tensor normed(size_t index, const at::Tensor& y, const FlowAlgebra& algebra) const {
    return norms_[index] ? algebra.normed(norms_[index], y) : y;
  }

  bool norm_before_mixing_;
  std::vector<Parameter> weights_;
  std::vector<Norm> norms_;
};

class DlclFlow : public Flow {
 public:
  DlclFlow(const Dlcl& wiring, const at::Tensor& x0, const FlowAlgebra& algebra)
      : wiring_(wiring), algebra_(algebra), history_{wiring.stored(0, x0, algebra)} {}

  at::Tensor enter(int) override { return wiring_.mixed(history_, algebra_); }
  void leave(int, const at::Tensor& y) override { history_.push_back(wiring_.stored(history_.size(), y, algebra_)); }
  at::Tensor out() override { return wiring_.finish(wiring_.mixed(history_, algebra_)); }

 private:
  const Dlcl& wiring_;
  const FlowAlgebra& algebra_;
  std::vector<at::Tensor> history_;
};

std::unique_ptr<Flow> Dlcl::start(const at::Tensor& x0, const FlowAlgebra& algebra) const {
  return std::make_unique<DlclFlow>(*this, x0, algebra);
}

}  // namespace

std::unique_ptr<Wiring> make_dlcl(ParameterStore& store, const StackPlan& plan, bool norm_before_mixing) {
  return std::make_unique<Dlcl>(store, plan, norm_before_mixing);
}

}  // namespace plumb
