#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

/// SpecAugment (Park et al. 2019): bands and stretches of time that the model does not get to see. The defaults are
/// fairseq's for LibriSpeech, "LD". There is no time warp: the paper finds that it helps least and costs most, and the
/// recipes that came after it (fairseq S2T) leave it out.
struct SpecAugmentOptions {
  int time_masks = 2;
  int time_width = 100;   // at most, in frames
  double time_share = 1;  // a mask of time takes no more than this share of an utterance
  int frequency_masks = 2;
  int frequency_width = 27;  // at most, in bands
};

/// What one drawing hides.
struct SpecMasks {
  struct Span {
    int64_t begin = 0, count = 0;
  };
  std::vector<Span> times, frequencies;
};

/// The masks of an utterance of `frames` frames are a function of their arguments: of the batch that it is in, or of
/// threads, they know nothing. `draw` is the epoch or the update, `sample` names the utterance in its corpus. Widths
/// are uniform from 0 to the largest, both included, and so are the places where a mask of its width fits.
SpecMasks spec_masks(const SpecAugmentOptions& options, int64_t frames, int64_t bins, uint64_t seed, uint64_t draw,
                     uint64_t sample);

/// Frames [T, bins] with zeros where a mask is. Zero is the mean: normalise first.
at::Tensor masked(const at::Tensor& frames, const SpecMasks& masks);

}  // namespace plumb
