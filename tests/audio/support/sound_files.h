#pragma once

#include <cmath>
#include <filesystem>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <sndfile.h>

/// Sound, and files of it that libsndfile writes.
namespace plumb::test {

inline std::vector<float> tone(double hz, int rate, int64_t samples, double amplitude = 0.5) {
  std::vector<float> result;
  for (int64_t i = 0; i < samples; ++i) {
    result.push_back(
        static_cast<float>(amplitude * std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / rate)));
  }
  return result;
}

/// `frames` hold the channels of a moment side by side. `format` is SF_FORMAT_WAV | SF_FORMAT_PCM_24 and the like.
inline void write_sound(const std::filesystem::path& path, int format, int rate, int channels,
                        const std::vector<float>& frames) {
  SF_INFO info{};
  info.samplerate = rate;
  info.channels = channels;
  info.format = format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  if (file == nullptr) throw std::runtime_error("libsndfile cannot write " + path.string());
  sf_writef_float(file, frames.data(), static_cast<sf_count_t>(frames.size()) / channels);
  sf_close(file);
}

}  // namespace plumb::test
