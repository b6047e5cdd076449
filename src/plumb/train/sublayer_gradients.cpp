#include "plumb/train/sublayer_gradients.h"

#include <cmath>

#include <ATen/ATen.h>

namespace plumb {
namespace {

/// "encoder.layers.3.ffn"; empty for a parameter of no layer. What the sub-layers of a layer share counts with the
/// last.
std::string sublayer_of(const ParameterPlace& place) {
  if (!place.layer) return "";
  return layer_name(place.stack, *place.layer) + '.' +
         std::string(word(place.sublayer.value_or(Sublayer::FeedForward)));
}

}  // namespace

std::map<std::string, double> sublayer_gradient_norms(const ParameterStore& parameters, double scale) {
  std::map<std::string, double> norms;  // squares, until all parameters are in
  for (const auto& entry : parameters.entries()) {
    const std::string sublayer = sublayer_of(entry.spec.place);
    if (sublayer.empty()) continue;
    const double norm = parameters.gradient(entry.spec.name).norm().item<double>() * scale;
    norms[sublayer] += norm * norm;
  }
  for (auto& [sublayer, norm] : norms) norm = std::sqrt(norm);
  return norms;
}

}  // namespace plumb
