#include "oracle/coefficients.h"

#include <algorithm>
#include <cmath>

namespace oracle {

double b2t_no_ln_alpha(std::size_t layers) {
  const double depth = static_cast<double>(layers);
  return std::min(depth / 12.0, std::pow(depth, -0.15));
}

double b2t_no_ln_beta(std::size_t width) {
  return std::pow(static_cast<double>(width), -0.2);
}

double deepnorm_alpha(const std::string& form, bool encoder, std::size_t encoder_layers, std::size_t decoder_layers) {
  const double n = static_cast<double>(encoder_layers);
  const double m = static_cast<double>(decoder_layers);
  if (form == "encoder") return std::pow(2.0 * n, 0.25);
  if (form == "decoder") return std::pow(2.0 * m, 0.25);
  if (encoder) return 0.81 * std::pow(n * n * n * n * m, 1.0 / 16.0);
  return std::pow(3.0 * m, 0.25);
}

std::size_t mix_ln_post_layers(double fraction, std::size_t layers) {
  // The product of a decimal fraction and a depth may round just above an integer (0.07 * 100).
  return static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(layers) - 1e-9));
}

}  // namespace oracle
