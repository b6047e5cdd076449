#pragma once

#include "plumb/catalogue/terms.h"

namespace plumb {

/// A factor of the residual equation: absent (one), a constant, or learned and starting at `value`.
struct Factor {
  enum class Kind {
    One,
    Constant,
    LayerScalar,  // one learned scalar per layer, shared by its sub-layers (ReZero)
    Scalar,       // one learned scalar per sub-layer (FixUp)
    Vector,       // one learned vector of the model's width per sub-layer (Admin, LayerScale)
  };
  Kind kind = Kind::One;
  double value = 1;

  bool learned() const { return kind == Kind::LayerScalar || kind == Kind::Scalar || kind == Kind::Vector; }
};

/// All that a variant says about one sub-layer. The fields are the letters of the one equation:
///
///     u  = c_in * norm_in(x - shift)
///     a  = dropout(norm_out(F(u)))
///     z  = r * x + g * a
///     z  = alpha * x_bottom + beta * z        last sub-layer of a layer only
///     x' = norm_post(z) + alpha_out * x_bottom   the last term there too
///
/// and what the variant puts inside F.
struct Rule {
  bool norm_in = false;
  bool norm_out = false;
  bool norm_post = false;
  double c_in = 1;
  bool input_shift = false;
  Factor r = {};
  Factor g = {};
  double alpha = 0;
  double beta = 1;
  double alpha_out = 0;
  // inside attention
  bool head_scale = false;  // a learned scale per head, before the output projection (NormFormer)
  bool heads_norm = false;  // a norm of the joined heads, before the output projection (sub-LN)
  bool value_norm = false;  // RMSNorm of the values, per head (HybridNorm)
  // inside feed-forward
  bool hidden_norm = false;    // a norm of the hidden layer, before fc2 (NormFormer, sub-LN)
  bool hidden_shifts = false;  // learned scalars subtracted before and after the activation (FixUp)
  // inside both
  bool biases = true;
};

/// What flows between sub-layers and layers besides x (residual/wiring_*.cpp).
enum class WiringKind { Chain, DlclPre, DlclPost, Dual };

/// What stands at the end of a stack.
struct Ending {
  bool norm = false;   // the final norm
  bool shift = false;  // x - b (FixUp)
  bool scale = false;  // s * (...), encoder only (FixUp)
};

}  // namespace plumb
