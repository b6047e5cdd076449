#pragma once

#include <cstdint>
#include <string>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// How a text becomes the sequences of a language model. Names and meanings are fairseq's.
struct LanguageModelConfig {
  BreakMode sample_break_mode = BreakMode::None;
  int64_t tokens_per_sample = 256;
  int64_t context_window = 0;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("sample_break_mode", c.sample_break_mode,
          "none: blocks of tokens_per_sample; complete: as many whole lines as fit; eos: one line each");
    visit("tokens_per_sample", c.tokens_per_sample, "tokens of a block, the ends of lines counted");
    visit("context_window", c.context_window,
          "evaluation: tokens of the block before that are read again, and not scored, in front of each block");
  }
};

/// How a text becomes the examples of a masked language model (BERT).
struct MaskedLmConfig {
  int64_t tokens_per_sample = 128;
  double mask_prob = 0.15;
  double leave_prob = 0.1;
  double random_prob = 0.1;
  bool whole_words = false;
  std::string document_start;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("tokens_per_sample", c.tokens_per_sample, "tokens of an example, [CLS] and [SEP] counted");
    visit("mask_prob", c.mask_prob, "share of the tokens to predict; they are drawn anew in each epoch");
    visit("leave_prob", c.leave_prob, "share of those that stay as they are");
    visit("random_prob", c.random_prob, "share of those that become another token");
    visit("whole_words", c.whole_words, "draw words, not pieces of words");
    visit("document_start", c.document_start,
          "a line that begins with this starts a document and is left out; empty: an empty line ends one");
  }
};

/// How audio becomes frames.
struct SpeechConfig {
  int64_t sample_rate = 16000;
  int64_t mel_bins = 80;
  int64_t source_rate = 0;
  double dither = 0;
  FeatureNorm normalise = FeatureNorm::Utterance;
  bool spec_augment = true;
  int64_t time_masks = 2;
  int64_t time_width = 100;
  double time_share = 1;
  int64_t frequency_masks = 2;
  int64_t frequency_width = 27;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("sample_rate", c.sample_rate, "audio of any other rate is resampled to this one");
    visit("mel_bins", c.mel_bins, "log-mel energies of a frame: 25 ms of audio, every 10 ms");
    visit("source_rate", c.source_rate,
          "the lowest rate of the training audio, whose half bounds the mel scale; 0: the data decides");
    visit("dither", c.dither, "noise on the samples, in units of a 16-bit sample");
    visit("normalise", c.normalise,
          "mean and variance of each energy: of the utterance, global (training set) or none");
    visit("spec_augment", c.spec_augment, "training: mask stretches of time and bands of frequency (Park et al. 2019)");
    visit("time_masks", c.time_masks, "SpecAugment: stretches of time");
    visit("time_width", c.time_width, "SpecAugment: frames of one at most");
    visit("time_share", c.time_share, "SpecAugment: share of the utterance that one may take at most");
    visit("frequency_masks", c.frequency_masks, "SpecAugment: bands of frequency");
    visit("frequency_width", c.frequency_width, "SpecAugment: bins of one at most");
  }
};

}  // namespace plumb
