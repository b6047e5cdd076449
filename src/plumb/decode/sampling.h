#pragma once

#include <cstdint>
#include <span>

#include "plumb/base/random_stream.h"

namespace plumb {

/// Draws a token from exp(log_p / temperature), of the k likeliest only (0: all), of the smallest set of likeliest
/// tokens that holds at least the mass p only (1: all). A token with log-probability -infinity is never drawn.
int32_t draw_token(std::span<const double> log_p, double temperature, int64_t top_k, double top_p,
                   RandomStream& random);

}  // namespace plumb
