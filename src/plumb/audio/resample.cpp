#include "plumb/audio/resample.h"

#include <fmt/format.h>
#include <samplerate.h>

#include "plumb/base/error.h"

namespace plumb {

int64_t resampled_length(int64_t count, int from, int to) {
  return (count * to + from - 1) / from;
}

std::vector<float> resample(std::span<const float> samples, int from, int to, const std::string& where) {
  if (from == to || samples.empty()) return {samples.begin(), samples.end()};
  const double ratio = static_cast<double>(to) / from;
  if (from < 1 || to < 1 || !src_is_valid_ratio(ratio)) {
    throw UserError(where, fmt::format("sound of {} Hz cannot be brought to {} Hz", from, to),
                    "The rates may differ by 256 times at most");
  }
  const int64_t length = resampled_length(std::ssize(samples), from, to);
  // The library may end a sample early or late: then a zero stays at the end, or it finds no room for more.
  std::vector<float> out(static_cast<size_t>(length), 0.0F);
  SRC_DATA call{};
  call.data_in = samples.data();
  call.input_frames = static_cast<long>(samples.size());
  call.data_out = out.data();
  call.output_frames = static_cast<long>(length);
  call.src_ratio = ratio;
  if (const int error = src_simple(&call, SRC_SINC_BEST_QUALITY, /*channels=*/1); error != 0) {
    throw UserError(where, fmt::format("cannot be brought from {} to {} Hz: {}", from, to, src_strerror(error)),
                    "Give it at another rate");
  }
  return out;
}

}  // namespace plumb
