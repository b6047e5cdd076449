#pragma once

#include <cstdint>
#include <vector>

#include "plumb/ops/packed.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

struct SubsamplerShape {
  int64_t bins = 80;            // bands of a frame
  int64_t mid_channels = 1024;  // of every convolution but the last, before its gate halves them
  int64_t width = 512;          // of the model, D
  int layers = 2;
  int64_t kernel = 5;  // odd
};

/// Frames of sound as the states of an encoder, a quarter as many: convolutions over time of stride 2, each followed by
/// a gated linear unit (fairseq's Conv1dSubsampler).
///
///     y_t = b + sum_k W_k x_(2t + k - 2)        zeros outside of the utterance
///     x'  = left half of y * sigmoid(right half)
///
/// `encoder.subsample.conv_layers.<i>.weight` is the [out, kernel * in] matrix of the product that it takes part in:
/// the columns of the first tap, then those of the second. LibTorch's [out, in, kernel] is this one transposed within
/// its rows. It starts as LibTorch's convolutions do.
class Subsampler {
 public:
  struct States {
    at::Tensor x;  // [N', D]
    ops::Packed rows;
  };

  Subsampler() = default;
  Subsampler(ParameterStore& store, const SubsamplerShape& shape);

  explicit operator bool() const { return !layers_.empty(); }

  /// frames [N, bins]
  States operator()(const at::Tensor& frames, const ops::Packed& rows) const;

  /// The states that an utterance of `frames` frames becomes.
  static int64_t rows_of(int64_t frames, int layers = 2);

 private:
  struct Layer {
    Parameter weight, bias;
  };

  int64_t kernel_ = 0;
  std::vector<Layer> layers_;
};

}  // namespace plumb
