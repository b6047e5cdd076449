#pragma once

#include <algorithm>
#include <cstdint>

namespace plumb {

/// What log-mel features are made with. The defaults are Kaldi's, with 80 bands.
struct LogMelOptions {
  int sample_rate = 16000;
  int bins = 80;
  double window_ms = 25;
  double shift_ms = 10;
  double preemphasis = 0.97;
  double low_hz = 20;
  double high_hz = 8000;
  /// The rate at which the sound was recorded, if all of it was at one that is lower than `sample_rate`: the bands then
  /// divide what there is. 0: the bands go up to `high_hz`, and those above what was recorded hold a constant.
  int source_rate = 0;
  /// The deviation of noise that is added to every sample, in units of 16-bit audio.
  double dither = 0;

  int64_t window() const { return static_cast<int64_t>(sample_rate * window_ms / 1000); }  // in samples
  int64_t shift() const { return static_cast<int64_t>(sample_rate * shift_ms / 1000); }

  /// The frames that `samples` have at this rate: a window must fit in whole, so the rest at the end is left out
  /// (Kaldi's snip-edges). Known from the length of a file alone.
  int64_t frames(int64_t samples) const { return samples < window() ? 0 : 1 + (samples - window()) / shift(); }

  /// Where the highest band ends.
  double upper_hz() const {
    const int rate = source_rate > 0 ? std::min(source_rate, sample_rate) : sample_rate;
    return std::min(high_hz, rate / 2.0);
  }
};

}  // namespace plumb
