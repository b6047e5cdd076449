#pragma once

#include <cstdint>

namespace plumb::kernel {

/// One query of one head over keys and values that lie anywhere: y = sum_i softmax(scale q k_i) v_i.
struct HistoryCall {
  int64_t count, width;  // keys, and the floats of each
  float scale;
  const float* const* keys;    // [count], each at its head already
  const float* const* values;  // [count]
  float* scratch;              // [count]
};

void attend_history(const HistoryCall& call, const float* q, float* y);

}  // namespace plumb::kernel
