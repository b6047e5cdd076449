#pragma once

#include <cstdint>

#include "plumb/catalogue/terms.h"
#include "plumb/kernel/philox.h"
#include "plumb/kernel/row_names.h"

namespace plumb::kernel {

/// h = dropout(activation(in + bias)), the middle of a feed-forward layer: `in` is a product without its bias.
struct BiasActivationForward {
  Activation activation = Activation::Relu;
  const float* bias = nullptr;          // [F] or null
  const DropoutKey* dropout = nullptr;  // null: nothing is dropped
  RowNames names = {};                  // not looked at without dropout
  int64_t width = 0;                    // F
  const float* in = nullptr;            // [N, F]
  float* h = nullptr;                   // [N, F]; may be `in`
};

/// The rows begin .. end - 1. What the backward pass needs is h for relu, so it works in place: a zero was dropped or
/// was negative, and no gradient passes either way. Of gelu it needs `in`, from which it makes the rest again: then h
/// is another buffer.
void bias_activation_forward(const BiasActivationForward& call, int64_t begin, int64_t end);

struct BiasActivationBackward {
  Activation activation = Activation::Relu;
  const float* bias = nullptr;
  const DropoutKey* dropout = nullptr;
  RowNames names = {};  // not looked at for relu
  int64_t width = 0;
  const float* saved = nullptr;  // relu: h; gelu: `in`
  const float* dh = nullptr;
  float* din = nullptr;  // may be dh or `saved`
  float* dbias =
      nullptr;  // [F], the sum over the rows of the call: written, not added to (see partial_sums.h); or null
};

void bias_activation_backward(const BiasActivationBackward& call, int64_t begin, int64_t end);

}  // namespace plumb::kernel
