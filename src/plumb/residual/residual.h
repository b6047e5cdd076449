#pragma once

#include <functional>
#include <utility>

#include <ATen/core/Tensor.h>

#include "plumb/config/stack_plan.h"
#include "plumb/residual/norm.h"
#include "plumb/residual/pass.h"
#include "plumb/residual/wiring.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// What a projection gives, with its bias not yet added: the residual adds it in a pass that it makes anyway.
struct Projected {
  Projected(at::Tensor product, at::Tensor bias = {}) : product(std::move(product)), bias(std::move(bias)) {}  // NOLINT

  at::Tensor product;  // [N, D]
  at::Tensor bias;     // [D] or undefined
  /// What the branch read, handed on by its first projection for a skip beside it; or undefined.
  at::Tensor skip = {};

  at::Tensor sum() const;
};

/// One residual connection: the only place in the library where a skip is added.
///
///     u  = c_in * norm_in(x - shift)
///     a  = dropout(norm_out(F(u)))
///     z  = r * x + g * a
///     z  = alpha * x_bottom + beta * z        last sub-layer of a layer only (B2T)
///     x' = norm_post(z) + alpha_out * x_bottom    there too
///
/// Which of these parts exist is the variant's row; `bottom` is the input of the layer, for every sub-layer of it.
class Residual {
 public:
  using Branch = std::function<Projected(const at::Tensor&)>;

  /// `layer` counts from 0. `layer_scalar` is the scalar that the layer's sub-layers share, if the row has one.
  Residual(ParameterStore& store, const StackPlan& plan, Sublayer sublayer, int layer, double dropout,
           Parameter layer_scalar);

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& bottom, const ops::Packed& rows, const Branch& branch,
                        Flow& flow, const Pass& pass) const;

  /// The same equation for lists of components [K, N, D] that add up to x and to its bottom: `branch` (a, what the tap
  /// saw) is the newest component of what comes out. Norms keep the statistics of the sums.
  at::Tensor of_components(const at::Tensor& x, const at::Tensor& bottom, const at::Tensor& branch) const;

 private:
  ops::SkipAndNorm enter(const at::Tensor& x) const;
  at::Tensor past_norm(const at::Tensor& y, const at::Tensor& bottom, const ops::Packed& rows) const;
  ops::Gain gain(const Factor& factor, const Parameter& learned) const;
  void tap(const Pass& pass, Tap::Point point, const at::Tensor& value) const;

  Stack stack_;
  Sublayer sublayer_;
  int layer_;
  Rule rule_;
  bool profiled_;
  double dropout_;
  Norm norm_in_, norm_out_, norm_post_;
  Parameter shift_, r_, g_;
};

/// `encoder.layers.3.final_layer_norm`: the norm before or after a sub-layer; fairseq calls that of the FFN
/// `final_...`.
std::string norm_name(Stack stack, int layer, Sublayer sublayer);

/// `encoder.layers.3.ffn_skip_scale`: r, where the row learns it.
std::string skip_scale_name(Stack stack, int layer, Sublayer sublayer);

/// The learned scalar that all sub-layers of a layer share (ReZero); absent if the row has none.
Parameter declare_layer_scalar(ParameterStore& store, const StackPlan& plan, int layer);

}  // namespace plumb
