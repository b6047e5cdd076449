#pragma once

#include <map>
#include <string>

#include "plumb/store/parameter_store.h"

namespace plumb {

/// The gradient norm of each sub-layer's parameters, times `scale`, by the sub-layer ("encoder.layers.3.ffn").
std::map<std::string, double> sublayer_gradient_norms(const ParameterStore& parameters, double scale);

}  // namespace plumb
