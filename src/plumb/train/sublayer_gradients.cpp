#include "plumb/train/sublayer_gradients.h"

#include <cmath>

#include <ATen/ATen.h>

namespace plumb {
namespace {

/// "encoder.layers.3.ffn" of "encoder.layers.3.fc1.weight"; empty for a parameter of no layer.
std::string sublayer_of(const std::string& name) {
  const size_t layer = name.find(".layers.");
  if (layer == std::string::npos) return "";
  const size_t begin = name.find('.', layer + 8) + 1;
  const std::string rest = name.substr(begin);
  const std::string kind = rest.starts_with("self_attn")      ? "self_attn"
                           : rest.starts_with("encoder_attn") ? "encoder_attn"
                                                              : "ffn";
  return name.substr(0, begin) + kind;
}

}  // namespace

std::map<std::string, double> sublayer_gradient_norms(const ParameterStore& parameters, double scale) {
  std::map<std::string, double> norms;  // squares, until all parameters are in
  for (const auto& entry : parameters.entries()) {
    const std::string sublayer = sublayer_of(entry.spec.name);
    if (sublayer.empty()) continue;
    const double norm = parameters.gradient(entry.spec.name).norm().item<double>() * scale;
    norms[sublayer] += norm * norm;
  }
  for (auto& [sublayer, norm] : norms) norm = std::sqrt(norm);
  return norms;
}

}  // namespace plumb
