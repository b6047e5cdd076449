// The feed-forward branch W2 act(W1 x + b1) + b2 with the inner changes of normformer, sub_ln and fixup.
#pragma once

#include <string>

#include "oracle/weights.h"

namespace oracle {

struct FeedForwardOptions {
  bool biases = true;
  bool inner_norm = false;          // P.ffn_layernorm, between activation and W2
  bool fixup_shifts = false;        // mathematics.md 3.12: before and after the activation
  std::string norm_kind = "layer";  // the kind of the inner norm
};

double activate(const std::string& activation, double x, Bug bug = Bug::None);

// FixUp's shift(x) = x - b with a learned scalar b.
Matrix shifted(const Context& context, const std::string& name, const Matrix& x);

// `layer` is e.g. encoder.layers.0.
Matrix feed_forward(const Context& context, const std::string& layer, const Matrix& x,
                    const FeedForwardOptions& options);

}  // namespace oracle
