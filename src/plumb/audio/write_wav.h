#pragma once

#include <filesystem>
#include <span>

namespace plumb {

/// Writes a WAV file of one channel with 16 bits, whole or not at all (base/atomic_file.h). What lies outside of -1 ..
/// 1 is cut off. What read_audio() gave of a file with 16 bits comes out as it was.
void write_wav(const std::filesystem::path& path, std::span<const float> samples, int rate);

}  // namespace plumb
