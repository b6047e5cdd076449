#pragma once

#include <string_view>

#include "plumb/probe/examine.h"

namespace plumb::probe {

/// What one probe finds in the model of a config, on random tokens.
inline Findings examined(const Config& config, std::string_view probe) {
  const Sample sample = random_sample(config);
  return examine(Subject(config, sample, 1), {find_probe(probe)}, [] {});
}

}  // namespace plumb::probe
