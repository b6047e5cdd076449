#pragma once

#include "plumb/nn/linear.h"
#include "plumb/ops/packed.h"
#include "plumb/residual/norm.h"
#include "plumb/residual/pass.h"

namespace plumb {

/// W2 act(W1 u + b1) + b2, with what a variant puts in between: a norm of the hidden layer, or FixUp's shifts.
class FeedForward {
 public:
  /// `layer` counts from 0.
  FeedForward(ParameterStore& store, const StackPlan& plan, int layer, Activation activation, double dropout);

  Projected operator()(const at::Tensor& u, const ops::Packed& rows, const Pass& pass) const;

 private:
  Stack stack_;
  int layer_;
  Activation activation_;
  double dropout_;
  Linear fc1_, fc2_;
  Norm hidden_norm_;
  Parameter inner_shift_, hidden_shift_;
};

}  // namespace plumb
