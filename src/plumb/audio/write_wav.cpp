#include "plumb/audio/write_wav.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "plumb/base/atomic_file.h"

namespace plumb {
namespace {

/// The lowest `bytes` bytes of a number, lowest first.
void append(std::string& text, uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xff);
}

}  // namespace

// libsndfile writes into a file of its own choosing; 44 bytes by hand let ours appear whole.
void write_wav(const std::filesystem::path& path, std::span<const float> samples, int rate) {
  constexpr uint32_t kBytes = 2, kHeaderRest = 36, kFormatSize = 16, kPcm = 1, kChannels = 1;
  const auto size = static_cast<uint32_t>(samples.size() * kBytes);
  std::string text = "RIFF";
  text.reserve(samples.size() * kBytes + kHeaderRest + 8);
  append(text, kHeaderRest + size, 4);
  text += "WAVEfmt ";
  append(text, kFormatSize, 4);
  append(text, kPcm, 2);
  append(text, kChannels, 2);
  append(text, static_cast<uint32_t>(rate), 4);
  append(text, static_cast<uint32_t>(rate) * kBytes, 4);
  append(text, kBytes, 2);
  append(text, 8 * kBytes, 2);
  text += "data";
  append(text, size, 4);
  for (const float sample : samples) {
    const double level = std::clamp(std::round(32768.0 * static_cast<double>(sample)), -32768.0, 32767.0);
    append(text, static_cast<uint32_t>(static_cast<int32_t>(level)), 2);
  }
  write_whole(path, text);
}

}  // namespace plumb
