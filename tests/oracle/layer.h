// One layer of a stack: the residual equation of each variant, written out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "oracle/weights.h"

namespace oracle {

// One of the two stacks of the model.
struct StackInfo {
  std::string name;  // encoder | decoder
  std::string variant;
  std::string norm_kind;
  std::string qk_norm;
  std::size_t depth = 0;
  bool causal = false;
};

class Layer {
 public:
  // `memory` is null where there is no cross-attention.
  Layer(const Context& context, const StackInfo& stack, std::size_t index, const Matrix* memory);

  // `previous_input` is what the layer below read, needed by a planted bug only. `second_stream` is r of residual_dual.
  Matrix forward(const Matrix& x, const Matrix& previous_input, Matrix* second_stream) const;

 private:
  Matrix post_ln(const Matrix& x) const;
  Matrix pre_ln(const Matrix& x) const;
  Matrix admin(const Matrix& x) const;
  Matrix b2t(const Matrix& x, const Matrix& previous_input) const;
  Matrix b2t_past_norm(const Matrix& x) const;
  Matrix b2t_no_ln(const Matrix& x, const Matrix& previous_input) const;
  Matrix plain(const Matrix& x) const;
  Matrix deepnorm(const Matrix& x) const;
  Matrix rezero(const Matrix& x, bool normalised) const;
  Matrix fixup(const Matrix& x) const;
  Matrix sandwich(const Matrix& x) const;
  Matrix olmo2(const Matrix& x) const;
  Matrix residual_dual(const Matrix& x, Matrix* second_stream) const;
  Matrix normformer(const Matrix& x) const;
  Matrix layer_scale(const Matrix& x) const;
  Matrix mix_ln(const Matrix& x) const;
  Matrix ln_scaling(const Matrix& x) const;
  Matrix hybrid_norm(const Matrix& x) const;

  // F(u) of the sub-layer self_attn | encoder_attn | ffn, without any norm around it.
  Matrix branch(const std::string& sublayer, const Matrix& u) const;
  Matrix attention_branch(const std::string& sublayer, const Matrix& u) const;
  Matrix norm(const std::string& sublayer, const Matrix& x) const;         // P.*_layer_norm
  Matrix output_norm(const std::string& sublayer, const Matrix& x) const;  // P.*_output_layer_norm
  Matrix norm_in(const std::string& sublayer, const Matrix& x) const;      // norm() as the sub-layer's input
  const Matrix& pre_ln_skip(const Matrix& x, const Matrix& u) const;
  const Matrix& b2t_bottom(const Matrix& x, const Matrix& sublayer_input, const Matrix& previous_input) const;
  const Row& parameter(const std::string& name, std::size_t size) const;

  const Context& context_;
  const StackInfo& stack_;
  const std::size_t index_;
  const Matrix* memory_;
  const std::string prefix_;            // S.layers.<i>
  std::vector<std::string> sublayers_;  // in order
};

}  // namespace oracle
