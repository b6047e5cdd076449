#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb {

/// One channel of sound.
struct Audio {
  std::vector<float> samples;  // -1 .. 1; those of a file of floats may be larger
  int rate = 0;                // samples per second
};

/// How much sound there is.
struct AudioLength {
  int64_t samples = 0;
  int rate = 0;
};

/// Decodes any file that libsndfile knows (WAV, FLAC, Ogg, MP3), of any rate and width; several channels become their
/// mean. A file that is missing, no audio, empty, shorter than its header says or holds a NaN is a UserError: a
/// transcript must never meet a part of its sound.
Audio read_audio(const std::string& path);

/// The length of the same, from the header alone; decodes only what does not say it there.
AudioLength audio_length(const std::string& path);

}  // namespace plumb
