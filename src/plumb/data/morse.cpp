#include "plumb/data/morse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"

namespace plumb {
namespace {

// Few words, as short in Morse code as on paper, and few of them in a text: who has learnt their sound can write down
// any new text, as with spoken digits.
constexpr std::string_view kWords[] = {"am", "be", "go", "hi", "it", "no", "so", "us"};
constexpr uint64_t kMostWords = 3;

constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";
// ITU-R M.1677, in the order of kCharacters.
constexpr std::array<std::string_view, 36> kCodes = {
    ".-",   "-...", "-.-.",  "-..",   ".",     "..-.",  "--.",   "....",  "..",    ".---",  "-.-",   ".-..",
    "--",   "-.",   "---",   ".--.",  "--.-",  ".-.",   "...",   "-",     "..-",   "...-",  ".--",   "-..-",
    "-.--", "--..", "-----", ".----", "..---", "...--", "....-", ".....", "-....", "--...", "---..", "----."};

constexpr int kMorseUses = 8;  // of a text, each by another hand

std::string_view code_of(char character) {
  const size_t at = kCharacters.find(character);
  if (at == std::string_view::npos) {
    throw UserError("morse", fmt::format("'{}' has no code here", character), "Use a to z, 0 to 9 and single spaces");
  }
  return kCodes[at];
}

std::string drawn_text(RandomStream& random) {
  std::string text;
  const uint64_t count = 1 + random.below(kMostWords);
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) text += ' ';
    text += kWords[random.below(std::size(kWords))];
  }
  return text;
}

/// Writes marks and silence one after another. Where a mark begins is rounded to a sample, so nothing adds up.
class Key {
 public:
  explicit Key(const MorseHand& hand) : hand_(hand), seconds_(hand.before_seconds) {}

  void silence(double dots) { seconds_ += dots * hand_.dot_seconds; }

  void mark(double dots) {
    const size_t begin = sample_at(seconds_), end = sample_at(seconds_ + dots * hand_.dot_seconds);
    samples_.resize(end, 0.0F);
    for (size_t i = begin; i < end; ++i) {
      const double swell = ramp(std::min(i - begin, end - 1 - i));
      const double phase = 2 * std::numbers::pi * hand_.tone_hz * static_cast<double>(i) / kMorseRate;
      samples_[i] = static_cast<float>(hand_.amplitude * swell * std::sin(phase));
    }
    silence(dots);
  }

  std::vector<float> finished() {
    samples_.resize(sample_at(seconds_ + hand_.after_seconds), 0.0F);
    return std::move(samples_);
  }

 private:
  static size_t sample_at(double seconds) { return static_cast<size_t>(std::lround(seconds * kMorseRate)); }

  /// From 0 at the edge of a mark to 1 after 5 ms, as half a cosine.
  static double ramp(size_t samples_from_edge) {
    constexpr double kRampSamples = 0.005 * kMorseRate;
    const double share = std::min(static_cast<double>(samples_from_edge) / kRampSamples, 1.0);
    return 0.5 - 0.5 * std::cos(std::numbers::pi * share);
  }

  MorseHand hand_;
  double seconds_;
  std::vector<float> samples_;
};

}  // namespace

std::vector<std::string> morse_examples(Split split, int64_t count, uint64_t seed) {
  RandomStream random(seed, fmt::format("morse/{}", name_of(split)));
  std::vector<std::string> texts;
  std::map<std::string, int> uses;
  for (int64_t tries = 0; std::ssize(texts) < count; ++tries) {
    if (tries > 100 * count + 10'000) {
      throw UserError("morse", fmt::format("there are not {} texts in this split", count), "Ask for fewer");
    }
    std::string text = drawn_text(random);
    if (split_of(text) != split || uses[text]++ >= kMorseUses) continue;
    texts.push_back(std::move(text));
  }
  return texts;
}

MorseHand morse_hand(uint64_t seed, uint64_t sample) {
  RandomStream random(seed, fmt::format("morse/hand/{}", sample));
  const auto between = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  MorseHand hand;
  hand.tone_hz = between(560, 640);
  hand.dot_seconds = between(0.034, 0.040);
  hand.amplitude = between(0.1, 0.5);
  // The power of a sine is half the square of its amplitude.
  hand.noise = hand.amplitude * std::sqrt(0.5) * std::pow(10, -between(15, 30) / 20);
  hand.before_seconds = between(0.05, 0.2);
  hand.after_seconds = between(0.05, 0.2);
  return hand;
}

std::vector<float> morse_tone(std::string_view text, const MorseHand& hand) {
  constexpr double kDash = 3, kBetweenMarks = 1, kBetweenLetters = 3, kBetweenWords = 7;
  Key key(hand);
  double gap = 0;
  for (const char character : text) {
    if (character == ' ') {
      gap = kBetweenWords;
      continue;
    }
    for (const char mark : code_of(character)) {
      key.silence(gap);
      key.mark(mark == '-' ? kDash : 1);
      gap = kBetweenMarks;
    }
    gap = kBetweenLetters;
  }
  return key.finished();
}

std::vector<float> morse_audio(std::string_view text, uint64_t seed, uint64_t sample) {
  const MorseHand hand = morse_hand(seed, sample);
  std::vector<float> samples = morse_tone(text, hand);
  RandomStream noise(seed, fmt::format("morse/noise/{}", sample));
  for (float& x : samples) x += static_cast<float>(hand.noise * noise.normal());
  return samples;
}

}  // namespace plumb
