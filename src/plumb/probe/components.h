#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/config/plan.h"
#include "plumb/nn/transformer.h"
#include "plumb/residual/taps.h"

namespace plumb::probe {

/// Hidden states as exact sums: [K, T, D], component 0 of all biases of norms, 1 of the embedding, i + 1 of the i-th
/// branch, as many as there have been. Every step between two states is linear once the statistics of its norms are
/// held fixed, so that the components can be carried along (Liu et al. 2020, 4.1, for every row of the table).
///
/// What stands in residual/ is written down here a second time, for lists instead of states; the sum of a list must be
/// the state that the model has computed.
class Components {
 public:
  Components(const Transformer& model, Stack stack, const TapRecorder& taps);

  /// Calls `see` after each sub-layer with its output's tap and components.
  void walk(const std::function<void(const Tap& tap, const at::Tensor& components)>& see);

  /// False if a norm is not linear for fixed statistics (DyT): it is taken as a factor per number then.
  bool exact() const { return plan_.norm != NormKind::Dyt; }

 private:
  at::Tensor value(const std::string& name) const;
  at::Tensor normed(const at::Tensor& x, const std::string& name) const;
  at::Tensor branch_gain(const Rule& rule, int layer, Sublayer sublayer) const;
  at::Tensor after(int layer, Sublayer sublayer, const at::Tensor& x, const at::Tensor& bottom) const;
  /// What a layer reads: the last state, or DLCL's mix of all.
  at::Tensor entering(int layer, const std::vector<at::Tensor>& states) const;
  /// What DLCL keeps of a state.
  at::Tensor kept(int layer, const at::Tensor& x) const;

  const ParameterStore& store_;
  StackPlan plan_;
  const TapRecorder& taps_;
};

}  // namespace plumb::probe
