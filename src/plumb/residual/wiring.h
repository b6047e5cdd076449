#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "plumb/config/plan.h"
#include "plumb/residual/norm.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

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
  virtual std::unique_ptr<Flow> start(const at::Tensor& x0) const = 0;
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
