#include "oracle/feed_forward.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>

#include "oracle/matrix.h"
#include "oracle/norm.h"

namespace oracle {

double activate(const std::string& activation, double x, Bug bug) {
  if (activation == "relu") return x > 0.0 ? x : 0.0;
  if (activation != "gelu") throw std::invalid_argument("oracle: unknown activation " + activation);
  if (bug == Bug::GeluTanh) {
    return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
}

Matrix shifted(const Context& context, const std::string& name, const Matrix& x) {
  const double shift = context.weights.at(name, 1)[0];
  return plus_constant(x, context.is(Bug::FixupShiftAdded) ? shift : -shift);
}

Matrix feed_forward(const Context& context, const std::string& layer, const Matrix& x,
                    const FeedForwardOptions& options) {
  Reader& weights = context.weights;
  const std::size_t d = context.width();
  const std::size_t f = static_cast<std::size_t>(context.config.ffn_width);
  const bool biases = options.biases && !context.is(Bug::FfnBiasMissing);
  const std::string norm_name = layer + ".ffn_layernorm";
  const bool norm_early = context.is(Bug::FfnNormBeforeActivation);

  Matrix hidden =
      linear(x, weights.at(layer + ".fc1.weight", f * d), biases ? weights.find(layer + ".fc1.bias", f) : nullptr);
  if (options.fixup_shifts) hidden = shifted(context, layer + ".ffn_inner_shift", hidden);
  if (options.inner_norm && norm_early) hidden = normalise(context, options.norm_kind, norm_name, hidden);
  for (Row& row : hidden) {
    for (double& value : row) value = activate(context.config.activation, value, context.bug);
  }
  if (options.inner_norm && !norm_early) hidden = normalise(context, options.norm_kind, norm_name, hidden);
  if (options.fixup_shifts) hidden = shifted(context, layer + ".ffn_hidden_shift", hidden);
  return linear(hidden, weights.at(layer + ".fc2.weight", d * f),
                biases ? weights.find(layer + ".fc2.bias", d) : nullptr);
}

}  // namespace oracle
