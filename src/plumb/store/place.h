#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// What a parameter does where it stands.
enum class ParameterRole {
  Table,   // vectors that tokens, positions and segments look up
  Matrix,  // of a projection, with its bias
  Norm,
  Factor,  // a learned scale, shift or mix
  Head,    // anything behind the last stack: another task has another
};

/// Where a parameter belongs in the model. The module that declares it says so, and the name is made of the place:
/// nobody has to take a name apart.
struct ParameterPlace {
  Stack stack = Stack::Encoder;
  std::optional<int> layer = {};          // from 0; nothing outside of the layers
  std::optional<Sublayer> sublayer = {};  // nothing there, nor for what all sub-layers of a layer share
  ParameterRole role = ParameterRole::Factor;
  std::string_view part = "residual";  // a literal: the group that sizes and curvatures are told by
  std::string module = {};             // `self_attn.q_proj`

  /// The same place but for the module, which is inside this one.
  ParameterPlace inside(std::string_view inner) const;
  /// `encoder.layers.3.self_attn.q_proj.weight`; without `tensor`, a module that is one tensor.
  std::string name(std::string_view tensor = {}) const;
  /// `encoder self_attn`
  std::string stack_part() const;
};

/// `encoder.layers.3`, for layers from 0.
std::string layer_name(Stack stack, int layer);

}  // namespace plumb
