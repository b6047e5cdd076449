#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/split.h"

namespace plumb {

inline constexpr int kMorseRate = 8000;  // samples per second

/// A built-in task of speech recognition: one to three of eight short words in Morse code, each by another hand, and
/// noise.
///
/// Every text belongs to one split for good (by a hash of the text alone): 8 of 10 train, 1 valid, 1 test. `count` from
/// one split, drawn from the stream (seed, split); a text may come up to eight times, each by another hand.
std::vector<std::string> morse_examples(Split split, int64_t count, uint64_t seed);

/// How one utterance sounds.
struct MorseHand {
  double tone_hz = 600;
  double dot_seconds = 0.035;
  double amplitude = 0.3;
  double noise = 0;  // deviation
  double before_seconds = 0.1, after_seconds = 0.1;
};

/// The hand of a sample is drawn from (seed, sample): a tone of 560 to 640 Hz, dots of 34 to 40 ms, 15 to 30 dB more
/// tone than noise, silence of 50 to 200 ms on both sides.
MorseHand morse_hand(uint64_t seed, uint64_t sample);

/// The tone of a text at kMorseRate, without noise. A dash is three dots long; between marks there is one dot of
/// silence, between letters three, between words seven. Marks swell and fade in 5 ms, or they would click. A character
/// that has no code here is a UserError.
std::vector<float> morse_tone(std::string_view text, const MorseHand& hand);

/// The tone in the hand of a sample, with its noise.
std::vector<float> morse_audio(std::string_view text, uint64_t seed, uint64_t sample);

}  // namespace plumb
