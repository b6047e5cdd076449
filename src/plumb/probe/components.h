#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "plumb/nn/transformer.h"
#include "plumb/residual/taps.h"

namespace plumb::probe {

/// Sees the output of a sub-layer as components [K, N, D]: 0 of all biases of norms, 1 of the embedding, i + 1 of the
/// i-th branch, as many as there have been.
using SeeComponents = std::function<void(const Tap& tap, const at::Tensor& components)>;

/// Takes hidden states apart into exact sums (Liu et al. 2020, 4.1, for every row of the table): every step between two
/// states is linear once the statistics of its norms are held fixed, so that components can be carried along. The steps
/// are those of residual/; the branches are the model's, as the taps saw them. Calls `see` after each sub-layer.
void walk_components(const Transformer& model, Stack stack, const TapRecorder& taps, const SeeComponents& see);

}  // namespace plumb::probe
