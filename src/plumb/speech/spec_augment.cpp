#include "plumb/speech/spec_augment.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plumb/base/random_stream.h"

namespace plumb {
namespace {

std::vector<SpecMasks::Span> draw_spans(RandomStream& random, int masks, int64_t widest, int64_t length) {
  std::vector<SpecMasks::Span> spans;
  for (int i = 0; i < masks; ++i) {
    const auto count = static_cast<int64_t>(random.below(static_cast<uint64_t>(widest) + 1));
    const auto begin = static_cast<int64_t>(random.below(static_cast<uint64_t>(length - count) + 1));
    spans.push_back({begin, count});
  }
  return spans;
}

}  // namespace

SpecMasks spec_masks(const SpecAugmentOptions& options, int64_t frames, int64_t bins, uint64_t seed, uint64_t draw,
                     uint64_t sample) {
  // Streams of their own: more masks of one kind do not move those of the other.
  const auto stream = [&](const char* kind) {
    return RandomStream(seed, fmt::format("spec_augment/{}/{}/{}", kind, draw, sample));
  };
  RandomStream time = stream("time"), frequency = stream("frequency");
  const auto share = static_cast<int64_t>(options.time_share * static_cast<double>(frames));
  const int64_t longest = std::clamp<int64_t>(std::min<int64_t>(options.time_width, share), 0, frames);
  const int64_t broadest = std::clamp<int64_t>(options.frequency_width, 0, bins);
  return {draw_spans(time, options.time_masks, longest, frames),
          draw_spans(frequency, options.frequency_masks, broadest, bins)};
}

at::Tensor masked(const at::Tensor& frames, const SpecMasks& masks) {
  at::Tensor result = frames.clone();
  for (const SpecMasks::Span& span : masks.times) result.narrow(0, span.begin, span.count).zero_();
  for (const SpecMasks::Span& span : masks.frequencies) result.narrow(1, span.begin, span.count).zero_();
  return result;
}

}  // namespace plumb
