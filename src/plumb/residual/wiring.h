#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/config/stack_plan.h"
#include "plumb/residual/norm.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// What a wiring does to what flows through it: hidden states, or lists of components that add up to them. A wiring
/// that norms and mixes through this says once how both flow.
class FlowAlgebra {
 public:
  virtual ~FlowAlgebra() = default;
  virtual at::Tensor normed(const Norm& norm, const at::Tensor& x) const = 0;
  /// sum_i weights[i] terms[i]
  virtual at::Tensor mixed(const std::vector<at::Tensor>& terms, const at::Tensor& weights) const = 0;
};

/// Of hidden states [N, D].
const FlowAlgebra& states_algebra();
/// Of components [K, N, D]: norms keep the statistics of the sum. A later list may have more components.
const FlowAlgebra& components_algebra();

/// What flows through one stack in one pass. The plain chain hands x on from layer to layer.
class Flow {
 public:
  virtual ~Flow() = default;
  /// What layer `layer` (from 0) reads.
  virtual at::Tensor enter(int layer) = 0;
  /// Every branch, in order: its output is what ops::residual() makes of these terms, which have no skip yet.
  virtual void branch(const ops::ResidualTerms& /*a*/) {}
  /// Whether branch() does anything: then a layer cannot be computed a second time.
  virtual bool sees_branches() const { return false; }
  /// What the layer gives.
  virtual void leave(int layer, const at::Tensor& y) = 0;
  /// What the stack gives, its ending included.
  virtual at::Tensor out() = 0;
};

/// The parameters of what flows between the layers of one stack, and of the stack's end.
class Wiring {
 public:
  Wiring(ParameterStore& store, const StackPlan& plan, bool with_final_norm);
  virtual ~Wiring() = default;
  /// The flow for a stack that starts at x_0. It must not outlive the wiring.
  virtual std::unique_ptr<Flow> start(const at::Tensor& x0, const FlowAlgebra& algebra = states_algebra()) const = 0;
  /// Whether it leads x_0 to the end of the stack past the norms of all layers, wherever these are.
  virtual bool passes_norms() const { return false; }
  /// The final norm, shift and scale, as far as the variant has them.
  at::Tensor finish(const at::Tensor& x) const;

 private:
  Norm norm_;
  Parameter shift_, scale_;
};

/// The wiring that the row of the table names.
std::unique_ptr<Wiring> make_wiring(ParameterStore& store, const StackPlan& plan);

// One file each: residual/wiring_<name>.cpp.
std::unique_ptr<Wiring> make_chain(ParameterStore& store, const StackPlan& plan);
std::unique_ptr<Wiring> make_dlcl(ParameterStore& store, const StackPlan& plan, bool norm_before_mixing);
std::unique_ptr<Wiring> make_dual(ParameterStore& store, const StackPlan& plan);

}  // namespace plumb
