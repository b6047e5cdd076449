#include "plumb/nn/subsampler.h"

#include <cmath>
#include <string>

#include <ATen/ATen.h>

#include "plumb/ops/glu.h"
#include "plumb/ops/linear.h"
#include "plumb/ops/unfold.h"

namespace plumb {
namespace {

constexpr int64_t kStride = 2;

}  // namespace

Subsampler::Subsampler(ParameterStore& store, const SubsamplerShape& shape) : kernel_(shape.kernel) {
  for (int i = 0; i < shape.layers; ++i) {
    const bool last = i + 1 == shape.layers;
    const int64_t in = i == 0 ? shape.bins : shape.mid_channels / 2;
    const int64_t out = last ? 2 * shape.width : shape.mid_channels;
    const int64_t fan_in = shape.kernel * in;
    const Fill fill{.kind = Fill::Kind::Uniform, .value = 1 / std::sqrt(static_cast<double>(fan_in))};
    const ParameterPlace place{
        .stack = Stack::Encoder, .role = ParameterRole::Matrix, .module = "subsample.conv_layers." + std::to_string(i)};
    layers_.push_back({store.declare(place, "weight", {out, fan_in}, fill), store.declare(place, "bias", {out}, fill)});
  }
}

Subsampler::States Subsampler::operator()(const at::Tensor& frames, const ops::Packed& rows) const {
  States states{frames, rows};
  for (const Layer& layer : layers_) {
    const ops::Unfolded windows = ops::unfold(states.x, states.rows, kernel_, kStride);
    states = {ops::glu(ops::linear(windows.x, *layer.weight, {}), *layer.bias), windows.rows};
  }
  return states;
}

int64_t Subsampler::rows_of(int64_t frames, int layers) {
  for (int i = 0; i < layers; ++i) frames = ops::unfolded_length(frames, kStride);
  return frames;
}

}  // namespace plumb
