#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// Where a parameter belongs: `encoder.layers.3.self_attn.q_proj.weight` is layer 4 (from 1) of the encoder, part
/// `self_attn.q_proj`.
struct LayerParameter {
  Stack stack;
  int layer;
  std::string part;  // without .weight and .bias
};

/// Nothing for parameters outside the layers.
std::optional<LayerParameter> layer_parameter(std::string_view name);

}  // namespace plumb
