#include "plumb/audio/write_wav.h"

#include <gtest/gtest.h>

#include "plumb/audio/read_audio.h"
#include "plumb/base/error.h"

#include "audio/support/sound_files.h"
#include "support/temporary_directory.h"

namespace plumb::test {
namespace {

TEST(WriteWav, WritesTheFileThatLibsndfileWrites) {
  const TemporaryDirectory directory;
  std::vector<float> sound;  // every level is one of 16 bits, so there is nothing to round
  for (int i = -32768; i < 32768; i += 7) sound.push_back(static_cast<float>(i) / 32768);
  write_wav(directory / "a.wav", sound, 8000);
  const Audio audio = read_audio((directory / "a.wav").string());
  EXPECT_EQ(audio.rate, 8000);
  EXPECT_EQ(audio.samples, sound);
  write_wav(directory / "b.wav", audio.samples, 8000);
  EXPECT_EQ(read_all(directory / "a.wav"), read_all(directory / "b.wav"));
}

TEST(WriteWav, CutsOffWhatIsTooLoud) {
  const TemporaryDirectory directory;
  write_wav(directory / "a.wav", std::vector<float>{2, -2, 1, -1}, 16000);
  const std::vector<float> levels = {32767.0F / 32768, -1, 32767.0F / 32768, -1};
  EXPECT_EQ(read_audio((directory / "a.wav").string()).samples, levels);
}

TEST(WriteWav, LeavesNothingBehindWhenItCannotWrite) {
  const TemporaryDirectory directory;
  EXPECT_THROW(write_wav(directory / "absent" / "a.wav", std::vector<float>{0}, 16000), DiskError);
}

}  // namespace
}  // namespace plumb::test
