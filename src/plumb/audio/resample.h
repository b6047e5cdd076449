#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumb {

/// How many samples `count` of them become: count * to / from, rounded up.
int64_t resampled_length(int64_t count, int from, int to);

/// Sound of one rate as sound of another, by band-limited interpolation (libsamplerate's best). It begins at the same
/// moment. Rates that differ by more than 256 times are a UserError at `where`.
std::vector<float> resample(std::span<const float> samples, int from, int to, const std::string& where = "resample");

}  // namespace plumb
