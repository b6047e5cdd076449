#include "oracle/layer.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "oracle/attention.h"
#include "oracle/coefficients.h"
#include "oracle/feed_forward.h"
#include "oracle/matrix.h"
#include "oracle/norm.h"

namespace oracle {

Layer::Layer(const Context& context, const StackInfo& stack, std::size_t index, const Matrix* memory)
    : context_(context),
      stack_(stack),
      index_(index),
      memory_(memory),
      prefix_(stack.name + ".layers." + std::to_string(index)) {
  sublayers_.push_back("self_attn");
  if (memory_ != nullptr) sublayers_.push_back("encoder_attn");
  sublayers_.push_back("ffn");
}

Matrix Layer::forward(const Matrix& x, const Matrix& previous_input, Matrix* second_stream) const {
  const std::string& v = stack_.variant;
  if (v == "post_ln" || v == "look_linear" || v == "ds_init" || v == "dlcl_post") return post_ln(x);
  if (v == "pre_ln" || v == "dlcl_pre" || v == "dyt" || v == "sub_ln") return pre_ln(x);
  if (v == "admin" || v == "admin_closed") return admin(x);
  if (v == "b2t") return b2t(x, previous_input);
  if (v == "b2t_past_norm") return b2t_past_norm(x);
  if (v == "b2t_no_ln") return b2t_no_ln(x, previous_input);
  if (v == "t_fixup") return plain(x);
  if (v == "deepnorm") return deepnorm(x);
  if (v == "rezero") return rezero(x, false);
  if (v == "rezero_post_ln") return rezero(x, true);
  if (v == "fixup") return fixup(x);
  if (v == "sandwich") return sandwich(x);
  if (v == "olmo2") return olmo2(x);
  if (v == "residual_dual") return residual_dual(x, second_stream);
  if (v == "normformer") return normformer(x);
  if (v == "layer_scale") return layer_scale(x);
  if (v == "mix_ln") return mix_ln(x);
  if (v == "ln_scaling") return ln_scaling(x);
  if (v == "hybrid_norm") return hybrid_norm(x);
  if (v == "hybrid_norm_star") {
    const bool first = index_ == 0 && !context_.is(Bug::HybridNormStarFirstLayerPlain);
    return first ? pre_ln(x) : hybrid_norm(x);
  }
  throw std::invalid_argument("oracle: unknown variant " + v);
}

// 3.1: x <- LN(x + F(x))
Matrix Layer::post_ln(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) y = norm(s, add(y, branch(s, y)));
  return y;
}

// 3.2: x <- x + F(LN(x)); 4.6 differs only inside F.
Matrix Layer::pre_ln(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Matrix u = norm_in(s, y);
    y = add(pre_ln_skip(y, u), branch(s, u));
  }
  return y;
}

// 3.4: x <- LN(x * omega + F(x))
Matrix Layer::admin(const Matrix& x) const {
  Matrix y = x;
  for (std::size_t i = 0; i < sublayers_.size(); ++i) {
    const std::string& s = sublayers_[i];
    const bool wrong = context_.is(Bug::AdminOmegaOfNextSublayer);
    const std::string& owner = wrong ? sublayers_[(i + 1) % sublayers_.size()] : s;
    const Row& omega = parameter(owner + "_skip_scale", context_.width());
    const Matrix a = branch(s, y);
    const Matrix sum =
        context_.is(Bug::AdminOmegaOnBranch) ? add(y, times_features(a, omega)) : add(times_features(y, omega), a);
    y = norm(s, sum);
  }
  return y;
}

// 3.5: as Post-LN, but the last sum also has the layer input x.
Matrix Layer::b2t(const Matrix& x, const Matrix& previous_input) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Matrix sum = add(y, branch(s, y));
    if (s != "ffn") {
      y = norm(s, sum);
    } else {
      const Matrix& bottom = b2t_bottom(x, y, previous_input);
      y = context_.is(Bug::B2tAfterLastNorm) ? add(bottom, norm(s, sum)) : norm(s, add(bottom, sum));
    }
  }
  return y;
}

// Footnote 1 of the paper: the layer input is added after the last norm.
Matrix Layer::b2t_past_norm(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) y = norm(s, add(y, branch(s, y)));
  return add(x, y);
}

// 3.6: y = alpha x + beta (x_last + F(x_last)), L being the depth of this stack.
Matrix Layer::b2t_no_ln(const Matrix& x, const Matrix& previous_input) const {
  std::size_t depth = stack_.depth;
  if (context_.is(Bug::B2tNoLnOtherStackDepth)) {
    const Config& config = context_.config;
    depth = static_cast<std::size_t>(stack_.name == "encoder" ? config.decoder_layers : config.encoder_layers);
  }
  double alpha = b2t_no_ln_alpha(depth);
  double beta = b2t_no_ln_beta(context_.width());
  if (context_.is(Bug::B2tNoLnSwapped)) std::swap(alpha, beta);
  Matrix y = x;
  Matrix last_input = x;
  for (const std::string& s : sublayers_) {
    last_input = y;
    y = add(y, branch(s, y));
  }
  return add(times(b2t_bottom(x, last_input, previous_input), alpha), times(y, beta));
}

// 3.8: x <- x + F(x)
Matrix Layer::plain(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) y = add(y, branch(s, y));
  return y;
}

// 3.9: x <- LN(alpha x + F(x))
Matrix Layer::deepnorm(const Matrix& x) const {
  const bool encoder = stack_.name == "encoder" || context_.is(Bug::DeepnormDecoderUsesEncoderAlpha);
  const Config& config = context_.config;
  const double alpha = deepnorm_alpha(config.form, encoder, static_cast<std::size_t>(config.encoder_layers),
                                      static_cast<std::size_t>(config.decoder_layers));
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Matrix a = branch(s, y);
    y = norm(s, context_.is(Bug::DeepnormAlphaOnBranch) ? add(y, times(a, alpha)) : add(times(y, alpha), a));
  }
  return y;
}

// 3.10: x <- x + rho F(x), 3.11: x <- LN(x + rho F(x)); one rho per layer.
Matrix Layer::rezero(const Matrix& x, bool normalised) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    double rho = parameter("branch_scale", 1)[0];
    if (s == "ffn" && context_.is(Bug::RezeroFfnScaleSquared)) rho *= rho;
    if (s == "ffn" && context_.is(Bug::RezeroNextLayerScale)) {
      const std::string next = std::to_string((index_ + 1) % stack_.depth);
      rho = context_.weights.at(stack_.name + ".layers." + next + ".branch_scale", 1)[0];
    }
    y = add(y, times(branch(s, y), rho));
    if (normalised) y = norm(s, y);
  }
  return y;
}

// 3.12: x <- x + s F(x - b); the shifts inside the feed-forward branch are in feed_forward().
Matrix Layer::fixup(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Matrix u = shifted(context_, prefix_ + "." + s + "_input_shift", y);
    y = add(y, times(branch(s, u), parameter(s + "_branch_scale", 1)[0]));
  }
  return y;
}

// 4.2, 4.3: x <- x + LN_o(F(LN_i(x)))
Matrix Layer::sandwich(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Matrix u = norm_in(s, y);
    const Matrix a = branch(s, u);
    const Matrix skip = pre_ln_skip(y, u);
    y = context_.is(Bug::SandwichOutputNormAfterAdd) ? output_norm(s, add(skip, a)) : add(skip, output_norm(s, a));
  }
  return y;
}

// 4.3, last part: x <- x + Norm_o(F(x))
Matrix Layer::olmo2(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) y = add(y, output_norm(s, branch(s, y)));
  return y;
}

// 4.4: a = F(x); r <- r + s a; x <- LN(x + a)
Matrix Layer::residual_dual(const Matrix& x, Matrix* second_stream) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Matrix a = branch(s, y);
    *second_stream = add(*second_stream, times(a, context_.config.residual_dual_scale));
    y = norm(s, add(y, a));
  }
  return y;
}

// 4.5: x <- x + LN_a(SA(LN(x))); cross-attention as Pre-LN; x <- w_res * x + FF(LN(x))
Matrix Layer::normformer(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Matrix u = norm_in(s, y);
    Matrix skip = pre_ln_skip(y, u);
    Matrix a = branch(s, u);
    if (s == "self_attn") a = output_norm(s, a);
    if (s == "ffn" && context_.config.normformer_scale_resids && !context_.is(Bug::NormformerResidualScaleMissing)) {
      skip = times_features(skip, parameter("ffn_skip_scale", context_.width()));
    }
    y = add(skip, a);
  }
  return y;
}

// 4.8: x <- x + lambda * F(LN(x))
Matrix Layer::layer_scale(const Matrix& x) const {
  Matrix y = x;
  for (const std::string& s : sublayers_) {
    const Row& lambda = parameter(s + "_branch_scale", context_.width());
    const Matrix u = norm_in(s, y);
    const Matrix a = branch(s, u);
    const Matrix skip = pre_ln_skip(y, u);
    y = context_.is(Bug::LayerScaleOnSkip) ? add(times_features(skip, lambda), a)
                                           : add(skip, times_features(a, lambda));
  }
  return y;
}

// 4.9: the first ceil(a L) layers are Post-LN, the rest Pre-LN.
Matrix Layer::mix_ln(const Matrix& x) const {
  const double fraction = context_.config.mix_ln_fraction;
  std::size_t post = mix_ln_post_layers(fraction, stack_.depth);
  if (context_.is(Bug::MixLnFloor)) post = static_cast<std::size_t>(fraction * static_cast<double>(stack_.depth));
  return index_ < post ? post_ln(x) : pre_ln(x);
}

// 4.10: x <- x + F(Norm(x) / sqrt(l)), l the layer counted from 1
Matrix Layer::ln_scaling(const Matrix& x) const {
  Matrix y = x;
  for (std::size_t i = 0; i < sublayers_.size(); ++i) {
    const std::string& s = sublayers_[i];
    std::size_t l = index_ + 1;
    if (context_.is(Bug::LnScalingBySublayer)) l = index_ * sublayers_.size() + i + 1;
    const Matrix u = times(norm_in(s, y), 1.0 / std::sqrt(static_cast<double>(l)));
    y = add(pre_ln_skip(y, u), branch(s, u));
  }
  return y;
}

// 4.11: y = x + attention(x) for each attention, z = Norm(y), out = z + FF(z)
Matrix Layer::hybrid_norm(const Matrix& x) const {
  Matrix y = x;
  Matrix before_norm;
  const std::string last_attention = sublayers_[sublayers_.size() - 2];
  for (const std::string& s : sublayers_) {
    const Matrix a = branch(s, y);
    if (s == "ffn" && context_.is(Bug::HybridNormSkipBeforeNorm)) y = before_norm;
    y = add(y, a);
    if (s == last_attention) {
      before_norm = y;
      y = norm(s, y);
    }
  }
  return y;
}

}  // namespace oracle
