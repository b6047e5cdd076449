#include "plumb/speech/normalise.h"

#include <ATen/ATen.h>

#include "plumb/memory/where.h"

namespace plumb {

at::Tensor normalised(const at::Tensor& frames) {
  FrameAccumulator own;
  own.add(frames);
  return normalised(frames, own.statistics());
}

at::Tensor normalised(const at::Tensor& frames, const FrameStatistics& statistics) {
  const int64_t bins = frames.size(1);
  TORCH_CHECK(bins == statistics.bins(), "frames of ", bins, " bands, statistics of ", statistics.bins());
  const at::Tensor in = frames.contiguous();
  at::Tensor out = at::empty_like(in);
  const float* from = cpu_numbers<float>(in).data();
  float* to = cpu_numbers<float>(out).data();
  for (int64_t i = 0; i < in.numel(); ++i) {
    const auto band = static_cast<size_t>(i % bins);
    to[i] = static_cast<float>((static_cast<double>(from[i]) - statistics.mean[band]) / statistics.deviation[band]);
  }
  return out;
}

}  // namespace plumb
