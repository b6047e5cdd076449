// Multi-head attention with the inner changes of the variants (q/k/v norms, head scale, inner norm).
#pragma once

#include <string>

#include "oracle/weights.h"

namespace oracle {

struct AttentionOptions {
  bool causal = false;
  bool biases = true;
  std::string qk_norm = "none";        // none | head | full | l2
  bool value_norm = false;             // hybrid_norm
  bool head_scale = false;             // normformer
  std::string inner_norm;              // sub_ln: the name of the norm before out_proj, empty for none
  std::string norm_kind = "layer";     // the kind of inner_norm
  const Row* value_divisor = nullptr;  // only for Bug::AdminFoldCrossAttentionV
};

// `name` is the module, e.g. decoder.layers.0.self_attn; keys and values are projected from `memory`.
Matrix attention(const Context& context, const std::string& name, const Matrix& queries, const Matrix& memory,
                 const AttentionOptions& options);

}  // namespace oracle
