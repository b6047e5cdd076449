#include "plumb/data/morse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

// Written down apart from the code under test.
const std::map<std::string, char> kLetters = {
    {".-", 'a'},    {"-...", 'b'},  {"-.-.", 'c'},  {"-..", 'd'},   {".", 'e'},     {"..-.", 'f'},
    {"--.", 'g'},   {"....", 'h'},  {"..", 'i'},    {".---", 'j'},  {"-.-", 'k'},   {".-..", 'l'},
    {"--", 'm'},    {"-.", 'n'},    {"---", 'o'},   {".--.", 'p'},  {"--.-", 'q'},  {".-.", 'r'},
    {"...", 's'},   {"-", 't'},     {"..-", 'u'},   {"...-", 'v'},  {".--", 'w'},   {"-..-", 'x'},
    {"-.--", 'y'},  {"--..", 'z'},  {"-----", '0'}, {".----", '1'}, {"..---", '2'}, {"...--", '3'},
    {"....-", '4'}, {".....", '5'}, {"-....", '6'}, {"--...", '7'}, {"---..", '8'}, {"----.", '9'}};

/// Lengths of sound and silence in turn, in samples, beginning with silence. The envelope is the largest level within
/// 2 ms, longer than half a period of any tone.
std::vector<int64_t> runs(const std::vector<float>& samples) {
  constexpr int64_t kReach = kMorseRate / 500;
  const float loudest = *std::ranges::max_element(samples, {}, [](float x) { return std::abs(x); });
  std::vector<int64_t> lengths = {0};
  bool sounds = false;
  for (int64_t i = 0; i < std::ssize(samples); ++i) {
    float level = 0;
    for (int64_t j = std::max<int64_t>(0, i - kReach); j < std::min(std::ssize(samples), i + kReach); ++j) {
      level = std::max(level, std::abs(samples[static_cast<size_t>(j)]));
    }
    if ((level > 0.3F * std::abs(loudest)) != sounds) lengths.push_back(0), sounds = !sounds;
    ++lengths.back();
  }
  return lengths;
}

/// By ear: what is longer than two dots is a dash or the end of a letter, longer than five the end of a word.
std::string heard(const std::vector<float>& samples, double dot_seconds) {
  const double dot = dot_seconds * kMorseRate;
  const std::vector<int64_t> lengths = runs(samples);
  std::string text, marks;
  for (size_t i = 1; i < lengths.size(); ++i) {
    const double dots = static_cast<double>(lengths[i]) / dot;
    if (i % 2 == 1) {
      marks += dots > 2 ? '-' : '.';
    } else if (dots > 2 || i + 1 == lengths.size()) {
      text += kLetters.contains(marks) ? kLetters.at(marks) : '?';
      marks.clear();
      if (dots > 5 && i + 1 < lengths.size()) text += ' ';
    }
  }
  return text;
}

TEST(Morse, AListenerWritesDownTheText) {
  for (const std::string text : {"sos", "paris", "abcdefghijklmnopqrstuvwxyz", "0123456789", "a e t 5 zoo"}) {
    for (const double tone : {400.0, 900.0}) {
      for (const double dot : {0.030, 0.040}) {
        EXPECT_EQ(heard(morse_tone(text, {.tone_hz = tone, .dot_seconds = dot}), dot), text);
      }
    }
  }
}

TEST(Morse, EveryExampleCanBeHeardWithoutItsNoise) {
  const std::vector<std::string> texts = morse_examples(Split::Test, 100, 1);
  for (size_t i = 0; i < texts.size(); ++i) {
    const MorseHand hand = morse_hand(1, i);
    EXPECT_EQ(heard(morse_tone(texts[i], hand), hand.dot_seconds), texts[i]);
  }
}

// "paris" is fifty dots with the space behind it, by which the speed of Morse code is told.
TEST(Morse, TakesTheTimeThatItsCodeSays) {
  const MorseHand hand{.dot_seconds = 0.04, .before_seconds = 0.1, .after_seconds = 0.15};
  const double seconds = 0.1 + 43 * 0.04 + 0.15;
  EXPECT_NEAR(static_cast<double>(morse_tone("paris", hand).size()), seconds * kMorseRate, 1);
  EXPECT_NEAR(static_cast<double>(morse_tone("paris paris", hand).size()), (seconds + 50 * 0.04) * kMorseRate, 1);
}

TEST(Morse, MarksSwellAndFade) {
  const std::vector<float> samples = morse_tone("e", {.amplitude = 0.4});
  float steepest = 0;
  for (size_t i = 1; i < samples.size(); ++i) steepest = std::max(steepest, std::abs(samples[i] - samples[i - 1]));
  EXPECT_LT(steepest, 0.4 * 2 * 3.1416 * 600 / kMorseRate * 1.05);  // no steeper than the tone itself
  EXPECT_EQ(samples.front(), 0);
  EXPECT_EQ(samples.back(), 0);
}

TEST(Morse, TheNoiseIsAsLoudAsItsHandSays) {
  for (uint64_t sample = 0; sample < 5; ++sample) {
    const MorseHand hand = morse_hand(3, sample);
    const std::vector<float> noisy = morse_audio("hello", 3, sample), clean = morse_tone("hello", hand);
    ASSERT_EQ(noisy.size(), clean.size());
    double square = 0;
    for (size_t i = 0; i < clean.size(); ++i) square += std::pow(static_cast<double>(noisy[i] - clean[i]), 2);
    EXPECT_NEAR(std::sqrt(square / static_cast<double>(clean.size())) / hand.noise, 1, 0.05);
    const double decibels = 20 * std::log10(hand.amplitude * std::sqrt(0.5) / hand.noise);
    EXPECT_GE(decibels, 15);
    EXPECT_LE(decibels, 30);
  }
}

TEST(Morse, AudioIsAFunctionOfTextSeedAndSample) {
  EXPECT_EQ(morse_audio("sun", 1, 2), morse_audio("sun", 1, 2));
  EXPECT_NE(morse_audio("sun", 1, 2), morse_audio("sun", 1, 3));
  EXPECT_NE(morse_audio("sun", 1, 2), morse_audio("sun", 2, 2));
}

TEST(Morse, ExamplesOfDifferentSplitsShareNoText) {
  for (const Split split : {Split::Train, Split::Valid, Split::Test}) {
    std::map<std::string, int> uses;
    for (const std::string& text : morse_examples(split, 300, 1)) {
      EXPECT_EQ(split_of(text), split) << text;
      EXPECT_LE(++uses[text], 8) << text;
    }
  }
  // Even under another seed: a text belongs to its split for good.
  for (const std::string& text : morse_examples(Split::Test, 300, 2)) EXPECT_EQ(split_of(text), Split::Test);
  EXPECT_EQ(morse_examples(Split::Train, 100, 1), morse_examples(Split::Train, 100, 1));
  EXPECT_NE(morse_examples(Split::Train, 100, 1), morse_examples(Split::Train, 100, 2));
}

TEST(Morse, ExamplesHaveEightWordsAndTakeASecondOrTwo) {
  std::set<std::string> words;
  double seconds = 0, longest = 0;
  const std::vector<std::string> texts = morse_examples(Split::Train, 1000, 1);
  for (size_t i = 0; i < texts.size(); ++i) {
    std::istringstream stream(texts[i]);
    int count = 0;
    for (std::string word; stream >> word; ++count) words.insert(word);
    EXPECT_LE(count, 3);
    const double one = static_cast<double>(morse_tone(texts[i], morse_hand(1, i)).size()) / kMorseRate;
    seconds += one / static_cast<double>(texts.size());
    longest = std::max(longest, one);
  }
  EXPECT_EQ(words.size(), 8u);
  EXPECT_GT(seconds, 0.7);
  EXPECT_LT(seconds, 2.5);
  EXPECT_LT(longest, 5);
}

TEST(Morse, WhatHasNoCodeIsRefused) {
  EXPECT_THROW(morse_tone("é", {}), UserError);
  EXPECT_THROW(morse_tone("A", {}), UserError);
}

}  // namespace
}  // namespace plumb
