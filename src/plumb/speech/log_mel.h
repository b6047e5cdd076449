#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/audio/log_mel_options.h"

namespace plumb {

/// The logarithm of the energy of sound in mel bands, frame by frame, as Kaldi computes it:
///
///     s = 32768 x                         16-bit units: thresholds and published statistics are in them
///     s = s - mean(s)                     of a window
///     s_i = s_i - 0.97 s_(i-1)            pre-emphasis; the first sample is its own predecessor
///     w_i = (0.5 - 0.5 cos(2 pi i / (n - 1)))^0.85                 the "povey" window
///     P = |FFT(s_i w_i)|^2                padded to 2^k samples
///     out_b = log max(sum_f T_b(f) P_f, 1.19e-7)
///
/// T_b are triangles of equal width on the scale mel(f) = 1127 log(1 + f / 700), each from the middle of the one before
/// it to the middle of the next. Silence, and bands between two lines of the FFT, give the logarithm's floor: finite.
class LogMel {
 public:
  /// Throws UserError if there is no room for the bands or a window is empty.
  explicit LogMel(const LogMelOptions& options);

  /// Sound at `sample_rate` as [frames, bins] floats; [0, bins] if it is shorter than a window. `utterance` names the
  /// dither, if there is any.
  at::Tensor operator()(std::span<const float> samples, uint64_t utterance = 0) const;

  const LogMelOptions& options() const { return options_; }

 private:
  /// The FFT's lines first .. first + weights.size() - 1 with their weights.
  struct Band {
    int64_t first = 0;
    std::vector<double> weights;
  };

  void window_into(const double* samples, double* frame) const;
  void energies_into(const c10::complex<double>* spectrum, float* out) const;

  LogMelOptions options_;
  int64_t padded_ = 0;  // the window's length, rounded up to a power of two
  std::vector<double> window_;
  std::vector<Band> bands_;
};

/// 1127 log(1 + hz / 700)
double mel_of_hz(double hz);

}  // namespace plumb
