#pragma once

#include <cstdint>

#include "plumb/config/config.h"

namespace plumb {

/// Prints a table: every variant of this model before its first update, with the gradient along its decoder.
void show_starts(const ModelConfig& base, uint64_t seed);

}  // namespace plumb
