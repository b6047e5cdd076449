#include "plumb/audio/read_audio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sndfile.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"

/// libmpg123 prints what it thinks of damaged frames, and libsndfile, which is all that we see of it, has no way to ask
/// it for silence. The name of its constructor here takes the place of the library's for libsndfile too: it calls
/// that one and sets MPG123_QUIET. (Taking stderr away meanwhile would take it away from other threads.)
extern "C" void* mpg123_new(const char* decoder, int* error);
extern "C" void* mpg123_new(const char* decoder, int* error) {
  constexpr int kAddFlags = 2, kQuiet = 0x20;  // of mpg123.h, whose package nothing else here needs
  using New = void* (*)(const char*, int*);
  using Param = int (*)(void*, int, long, double);
  const auto make = reinterpret_cast<New>(::dlsym(RTLD_NEXT, "mpg123_new"));
  const auto set = reinterpret_cast<Param>(::dlsym(RTLD_NEXT, "mpg123_param"));
  if (make == nullptr) return nullptr;
  void* handle = make(decoder, error);
  if (handle != nullptr && set != nullptr) set(handle, kAddFlags, kQuiet, 0);
  return handle;
}

namespace plumb {
namespace {

constexpr char kFormats[] = "Give a WAV, FLAC, Ogg or MP3 file";
constexpr char kCopyAgain[] = "Copy it again, or leave it out";

/// A file that libsndfile has opened.
struct OpenAudio {
  FileDescriptor file;
  SF_INFO info{};
  std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> sound{nullptr, sf_close};

  /// Where the header does not say how many frames there are, libsndfile has this number.
  bool knows_its_length() const { return info.frames < SF_COUNT_MAX; }
};

[[noreturn]] void fail_as_cut_off(const std::string& path) {
  throw UserError(path, "the audio ends before its header says", kCopyAgain);
}

/// libsndfile takes what is left of a WAV file for the whole of it. A program that wrote into a pipe could not know the
/// size: it left zero or a very large number there.
void refuse_cut_off_wav(const FileDescriptor& file, const std::string& path, uint64_t size) {
  std::array<unsigned char, 8> head{};
  if (read_at(file, path, std::as_writable_bytes(std::span(head)), 0) < head.size()) return;
  if (std::memcmp(head.data(), "RIFF", 4) != 0) return;
  const uint64_t says =
      head[4] | uint64_t{head[5]} << 8 | uint64_t{head[6]} << 16 | uint64_t{head[7]} << 24;  // little-endian
  constexpr uint64_t kUnknown = 0x7fff0000, kPadding = 1;
  if (says > 0 && says < kUnknown && head.size() + says > size + kPadding) fail_as_cut_off(path);
}

OpenAudio open_audio(const std::string& path) {
  OpenAudio audio;
  uint64_t size = 0;
  audio.file = open_to_read(path, &size);
  if (size == 0) throw UserError(path, "the file is empty", kFormats);
  audio.sound.reset(sf_open_fd(audio.file.get(), SFM_READ, &audio.info, /*close_desc=*/0));
  if (!audio.sound) {
    std::string reason = sf_strerror(nullptr);
    reason.erase(reason.find_last_not_of(". \n") + 1);
    throw UserError(path, "cannot be read as audio: " + reason, kFormats);
  }
  if (audio.info.channels < 1 || audio.info.samplerate < 1) {
    throw UserError(path, "its header names no channels or no rate", kCopyAgain);
  }
  refuse_cut_off_wav(audio.file, path, size);
  return audio;
}

/// The mean of the channels of each frame, behind `samples`.
void append_mono(std::span<const float> frames, size_t channels, std::vector<float>& samples) {
  for (size_t at = 0; at < frames.size(); at += channels) {
    double sum = 0;
    for (size_t c = 0; c < channels; ++c) sum += static_cast<double>(frames[at + c]);
    samples.push_back(static_cast<float>(sum / static_cast<double>(channels)));
  }
}

void check_samples(const std::vector<float>& samples, const std::string& path) {
  if (samples.empty()) throw UserError(path, "there are no samples in it", "Leave it out");
  const auto bad = std::ranges::find_if(samples, [](float x) { return !std::isfinite(x); });
  if (bad == samples.end()) return;
  throw UserError(path, fmt::format("sample {} is not a finite number", bad - samples.begin()),
                  "Make the file again, or leave it out");
}

}  // namespace

// Piece by piece: a header that promises terabytes must not be believed.
Audio read_audio(const std::string& path) {
  const OpenAudio audio = open_audio(path);
  const auto channels = static_cast<size_t>(audio.info.channels);
  constexpr size_t kFramesAtOnce = 16384;
  std::vector<float> frames(kFramesAtOnce * channels);
  Audio result{.samples = {}, .rate = audio.info.samplerate};
  for (;;) {
    const sf_count_t got = sf_readf_float(audio.sound.get(), frames.data(), kFramesAtOnce);
    if (got <= 0) break;
    append_mono(std::span(frames).first(static_cast<size_t>(got) * channels), channels, result.samples);
  }
  if (sf_error(audio.sound.get()) != SF_ERR_NO_ERROR) {
    throw UserError(path, fmt::format("cannot be decoded beyond sample {}", result.samples.size()), kCopyAgain);
  }
  if (audio.knows_its_length() && std::ssize(result.samples) < audio.info.frames) fail_as_cut_off(path);
  check_samples(result.samples, path);
  return result;
}

AudioLength audio_length(const std::string& path) {
  const OpenAudio audio = open_audio(path);
  const bool known = audio.knows_its_length();
  const AudioLength length{.samples = known ? audio.info.frames : std::ssize(read_audio(path).samples),
                           .rate = audio.info.samplerate};
  if (length.samples < 1) check_samples({}, path);
  return length;
}

}  // namespace plumb
