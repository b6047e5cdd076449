#include "plumb/audio/read_audio.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "audio/support/sound_files.h"
#include "support/temporary_directory.h"

// libsndfile 1.2.0 forgets 6 kB of each damaged Ogg file that it refuses. LeakSanitizer asks for this name.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:vorbis_info_init";
}

namespace plumb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kWav16 = SF_FORMAT_WAV | SF_FORMAT_PCM_16;
constexpr int kFlac16 = SF_FORMAT_FLAC | SF_FORMAT_PCM_16;

void expect_samples(const std::vector<float>& actual, const std::vector<float>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], tolerance) << i;
}

class ReadAudio : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (directory_ / name).string(); }

  /// Both ways of looking at it must say the same, in one line that begins with the path.
  void expect_refused(const std::string& name, const std::string& problem) {
    for (const bool whole : {true, false}) {
      try {
        whole ? (void)read_audio(file(name)) : (void)audio_length(file(name));
        ADD_FAILURE() << name << " was read";
      } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(file(name)));
        EXPECT_THAT(error.what(), HasSubstr(problem));
        EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      }
    }
  }

  /// The first part of a file, as a copy that was cut off leaves it.
  void cut_off(const std::string& whole, const std::string& part, double share) {
    const std::string bytes = read_all(file(whole));
    write_all(file(part), bytes.substr(0, static_cast<size_t>(share * static_cast<double>(bytes.size()))));
  }

  TemporaryDirectory directory_;
};

TEST_F(ReadAudio, GivesTheSamplesOfEveryFormatAndWidth) {
  struct Format {
    const char* name;
    int format;
    double tolerance;
  };
  const std::vector<float> sound = tone(440, 16000, 5000);
  for (const Format& format :
       {Format{"8.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 1.0 / 100}, Format{"16.wav", kWav16, 1.0 / 30000},
        Format{"24.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24, 1.0 / 8000000},
        Format{"32.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_32, 1.0 / 8000000},
        Format{"float.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 0},
        Format{"double.wav", SF_FORMAT_WAV | SF_FORMAT_DOUBLE, 0}, Format{"16.flac", kFlac16, 1.0 / 30000},
        Format{"24.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 1.0 / 8000000},
        Format{"vorbis.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.05}}) {
    write_sound(file(format.name), format.format, 16000, 1, sound);
    const Audio audio = read_audio(file(format.name));
    EXPECT_EQ(audio.rate, 16000) << format.name;
    expect_samples(audio.samples, sound, format.tolerance);
  }
}

TEST_F(ReadAudio, KeepsTheRateOfTheFile) {
  for (const int rate : {8000, 11025, 16000, 22050, 44100, 48000}) {
    write_sound(file("a.wav"), kWav16, rate, 1, tone(300, rate, 700));
    EXPECT_EQ(read_audio(file("a.wav")).rate, rate);
    EXPECT_EQ(audio_length(file("a.wav")).rate, rate);
  }
}

TEST_F(ReadAudio, MakesOneChannelOfSeveralByTheirMean) {
  const std::vector<float> left = tone(300, 8000, 900), right = tone(1000, 8000, 900, 0.2);
  std::vector<float> both, mean;
  for (size_t i = 0; i < left.size(); ++i) {
    both.push_back(left[i]);
    both.push_back(right[i]);
    mean.push_back((left[i] + right[i]) / 2);
  }
  write_sound(file("a.wav"), SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 2, both);
  expect_samples(read_audio(file("a.wav")).samples, mean, 1e-7);
  EXPECT_EQ(audio_length(file("a.wav")).samples, 900);
}

TEST_F(ReadAudio, TheHeaderTellsTheLength) {
  for (const int format : {kWav16, kFlac16, SF_FORMAT_OGG | SF_FORMAT_VORBIS}) {
    write_sound(file("a"), format, 16000, 1, tone(300, 16000, 12345));
    EXPECT_EQ(audio_length(file("a")).samples, 12345);
  }
}

TEST_F(ReadAudio, WhatIsNoAudioIsRefused) {
  write_all(file("text.wav"), "four hundred twenty-one\nseven\n");
  write_all(file("header.wav"), "RIFFjunkWAVEjunkjunkjunkjunkjunk");
  write_all(file("empty.wav"), "");
  expect_refused("text.wav", "cannot be read as audio");
  expect_refused("header.wav", "cannot be read as audio");
  expect_refused("empty.wav", "empty");
  expect_refused("missing.wav", "");
  expect_refused("", "");  // the directory itself
}

TEST_F(ReadAudio, ABrokenHeaderIsRefused) {
  write_sound(file("a.wav"), kWav16, 16000, 1, tone(300, 16000, 1000));
  const std::string bytes = read_all(file("a.wav"));
  for (const size_t at : {size_t{8}, size_t{12}}) {  // "WAVE", "fmt "
    std::string broken = bytes;
    broken.replace(at, 4, "\x01\x02\x03\x04");
    write_all(file("broken.wav"), broken);
    expect_refused("broken.wav", "");
  }
}

TEST_F(ReadAudio, NoSamplesAreRefused) {
  write_sound(file("a.wav"), kWav16, 16000, 1, {});
  expect_refused("a.wav", "no samples");
}

TEST_F(ReadAudio, AFileThatWasCutOffIsRefused) {
  write_sound(file("a.wav"), kWav16, 16000, 1, tone(300, 16000, 20000));
  for (const double share : {0.0005, 0.3, 0.9, 0.9999}) {
    cut_off("a.wav", "part.wav", share);
    expect_refused("part.wav", "");
  }
  // The header of FLAC is whole in its part: only decoding shows that the rest is missing.
  write_sound(file("a.flac"), kFlac16, 16000, 1, tone(300, 16000, 20000));
  for (const double share : {0.3, 0.9}) {
    cut_off("a.flac", "part.flac", share);
    EXPECT_THROW(read_audio(file("part.flac")), UserError) << share;
  }
}

// What programs write that cannot go back to the header, as at the end of a pipe.
TEST_F(ReadAudio, AWavFileWithoutASizeIsRead) {
  write_sound(file("a.wav"), kWav16, 16000, 1, tone(300, 16000, 1000));
  std::string bytes = read_all(file("a.wav"));
  bytes.replace(4, 4, "\xff\xff\xff\xff");
  bytes.replace(40, 4, "\xff\xff\xff\xff");
  write_all(file("piped.wav"), bytes);
  EXPECT_EQ(read_audio(file("piped.wav")).samples.size(), 1000);
  EXPECT_EQ(audio_length(file("piped.wav")).samples, 1000);
}

TEST_F(ReadAudio, NumbersThatAreNotFiniteAreRefused) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> sound = tone(300, 16000, 1000);
    sound[777] = bad;
    write_sound(file("a.wav"), SF_FORMAT_WAV | SF_FORMAT_FLOAT, 16000, 1, sound);
    try {
      (void)read_audio(file("a.wav"));
      ADD_FAILURE();
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("sample 777"));
    }
  }
}

// Nothing of this may crash or ask for terabytes, whatever is read.
// libmpg123 has four or five lines to say about each of these.
TEST_F(ReadAudio, ADamagedMp3IsRefusedInSilence) {
  write_sound(file("whole.mp3"), SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 16000, 1, tone(440, 16000, 48000));
  EXPECT_NO_THROW(read_audio(file("whole.mp3")));
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise += static_cast<char>(i * 7);
  write_all(file("junk.mp3"), read_all(file("whole.mp3")).substr(0, 400) + noise);
  write_all(file("head.mp3"), "\xFF\xFB\x90" + std::string(1, '\0') + noise);
  testing::internal::CaptureStderr();
  for (const char* name : {"junk.mp3", "head.mp3"}) expect_refused(name, "cannot be read as audio");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(ReadAudio, DamagedBytesAreReadOrRefused) {
  for (const int format : {kWav16, kFlac16, SF_FORMAT_OGG | SF_FORMAT_VORBIS}) {
    write_sound(file("a"), format, 16000, 1, tone(300, 16000, 2000));
    const std::string bytes = read_all(file("a"));
    for (size_t at = 0; at < std::min<size_t>(bytes.size(), 160); ++at) {
      std::string broken = bytes;
      broken[at] = static_cast<char>(broken[at] ^ 0x55);
      write_all(file("broken"), broken);
      try {
        EXPECT_FALSE(read_audio(file("broken")).samples.empty());
      } catch (const UserError&) {
      }
    }
  }
}

}  // namespace
}  // namespace plumb::test
