#pragma once

#include <cstdint>

namespace plumb::kernel {

/// out = a * sigmoid(b), where a and b are the left and the right half of in + bias.
struct GluForward {
  const float* bias = nullptr;  // [2C] or null
  int64_t width = 0;            // C
  const float* in = nullptr;    // [N, 2C]
  float* out = nullptr;         // [N, C]
};

/// The rows begin .. end - 1.
void glu_forward(const GluForward& call, int64_t begin, int64_t end);

struct GluBackward {
  const float* bias = nullptr;
  int64_t width = 0;
  const float* in = nullptr;
  const float* dout = nullptr;  // [N, C]
  float* din = nullptr;         // [N, 2C]; may be `in`
  float* dbias =
      nullptr;  // [2C], the sum over the rows of the call: written, not added to (see partial_sums.h); or null
};

void glu_backward(const GluBackward& call, int64_t begin, int64_t end);

}  // namespace plumb::kernel
