// A stack of layers with what only some variants have around them: DLCL's history, ResiDual's second stream, FixUp's
// last shift and the final norm.
#pragma once

#include "oracle/layer.h"

namespace oracle {

struct StackOutput {
  Matrix output;
  // Wrong memories, for planted bugs only.
  Matrix before_final_norm;
  Matrix first_layer;
};

// The encoder is not causal; `memory` is null where there is no cross-attention.
StackInfo stack_info(const Config& config, const std::string& name);
StackOutput run_stack(const Context& context, const StackInfo& stack, const Matrix& x0, const Matrix* memory);

}  // namespace oracle
