#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/speech/frame_statistics.h"

namespace plumb {

/// Frames [T, bins] with the mean 0 and the deviation 1 in each band, by the statistics of these frames alone. A band
/// that does not vary becomes zeros.
at::Tensor normalised(const at::Tensor& frames);

/// The same by the statistics of a corpus.
at::Tensor normalised(const at::Tensor& frames, const FrameStatistics& statistics);

}  // namespace plumb
