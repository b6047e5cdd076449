#include "plumb/speech/log_mel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"
#include "plumb/memory/where.h"

namespace plumb {
namespace {

constexpr double kSixteenBits = 32768;
constexpr double kLeastEnergy = std::numeric_limits<float>::epsilon();  // Kaldi's, 1.19e-7
constexpr int64_t kFramesAtOnce = 1024;                                 // an hour of sound needs no gigabytes

void check(const LogMelOptions& o) {
  if (o.window() < 2 || o.shift() < 1) {
    throw UserError(
        "log-mel",
        fmt::format("a window of {} ms, moved by {} ms, is empty at {} Hz", o.window_ms, o.shift_ms, o.sample_rate),
        "25 and 10 ms are usual");
  }
  if (o.bins < 1 || o.low_hz < 0 || o.low_hz >= o.upper_hz()) {
    throw UserError("log-mel", fmt::format("{} bands do not fit between {} and {} Hz", o.bins, o.low_hz, o.upper_hz()),
                    "80 bands from 20 Hz to half the rate are usual");
  }
}

std::vector<double> povey_window(int64_t length) {
  std::vector<double> window(static_cast<size_t>(length));
  const double step = 2 * std::numbers::pi / static_cast<double>(length - 1);
  for (size_t i = 0; i < window.size(); ++i) {
    window[i] = std::pow(0.5 - 0.5 * std::cos(step * static_cast<double>(i)), 0.85);
  }
  return window;
}

std::vector<double> in_sixteen_bits(std::span<const float> samples, double dither, uint64_t utterance) {
  std::vector<double> scaled(samples.size());
  RandomStream noise(utterance, "dither");
  for (size_t i = 0; i < samples.size(); ++i) {
    scaled[i] = kSixteenBits * static_cast<double>(samples[i]);
    if (dither > 0) scaled[i] += dither * noise.normal();
  }
  return scaled;
}

}  // namespace

double mel_of_hz(double hz) {
  return 1127 * std::log1p(hz / 700);
}

LogMel::LogMel(const LogMelOptions& options) : options_(options) {
  check(options);
  padded_ = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(options.window())));
  window_ = povey_window(options.window());
  const double low = mel_of_hz(options.low_hz), high = mel_of_hz(options.upper_hz());
  const double width = (high - low) / (options.bins + 1);
  const double line_hz = static_cast<double>(options.sample_rate) / static_cast<double>(padded_);
  for (int b = 0; b < options.bins; ++b) {
    const double middle = low + (b + 1) * width;
    Band band;
    for (int64_t line = 0; line < padded_ / 2; ++line) {  // without the last, as in Kaldi
      const double weight = 1 - std::abs(mel_of_hz(line_hz * static_cast<double>(line)) - middle) / width;
      if (weight <= 0) continue;
      if (band.weights.empty()) band.first = line;
      band.weights.push_back(weight);
    }
    bands_.push_back(std::move(band));
  }
}

void LogMel::window_into(const double* samples, double* frame) const {
  const auto n = static_cast<int64_t>(window_.size());
  const double mean = std::accumulate(samples, samples + n, 0.0) / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) {
    const double before = samples[std::max<int64_t>(i - 1, 0)] - mean;
    frame[i] = (samples[i] - mean - options_.preemphasis * before) * window_[static_cast<size_t>(i)];
  }
  std::fill(frame + n, frame + padded_, 0.0);
}

void LogMel::energies_into(const c10::complex<double>* spectrum, float* out) const {
  for (const Band& band : bands_) {
    double energy = 0;
    for (size_t i = 0; i < band.weights.size(); ++i) {
      const c10::complex<double> line = spectrum[static_cast<size_t>(band.first) + i];
      energy += band.weights[i] * (line.real() * line.real() + line.imag() * line.imag());
    }
    *out++ = static_cast<float>(std::log(std::max(energy, kLeastEnergy)));
  }
}

at::Tensor LogMel::operator()(std::span<const float> samples, uint64_t utterance) const {
  const at::NoGradGuard no_grad;
  const std::vector<double> scaled = in_sixteen_bits(samples, options_.dither, utterance);
  const int64_t frames = options_.frames(std::ssize(samples)), shift = options_.shift();
  at::Tensor out = at::empty({frames, options_.bins}, Where().options());
  for (int64_t first = 0; first < frames; first += kFramesAtOnce) {
    const int64_t count = std::min(kFramesAtOnce, frames - first);
    const at::Tensor windows = at::empty({count, padded_}, Where(at::kDouble).options());
    double* window = cpu_numbers<double>(windows).data();
    for (int64_t i = 0; i < count; ++i) window_into(scaled.data() + (first + i) * shift, window + i * padded_);
    const at::Tensor spectra = at::fft_rfft(windows).contiguous();  // [count, padded / 2 + 1]
    const auto* spectrum = cpu_numbers<c10::complex<double>>(spectra).data();
    float* row = cpu_numbers<float>(out).data() + first * options_.bins;
    for (int64_t i = 0; i < count; ++i) energies_into(spectrum + i * spectra.size(1), row + i * options_.bins);
  }
  return out;
}

}  // namespace plumb
