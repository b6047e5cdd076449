#pragma once

#include <cstddef>
#include <cstdint>

#include "plumb/kernel/philox.h"

namespace plumb::kernel {

/// The columns of one head in a matrix of many: row i begins at data + i * stride.
struct HeadRows {
  const float* data;
  int64_t stride;
};
struct MutableHeadRows {
  float* data;
  int64_t stride;
};

/// Which softmax weights are dropped: that of query t and key s is element s of the line (sample, t, head).
struct AttentionDropout {
  DropoutKey key;
  uint64_t sample = 0;
  uint32_t head = 0;
};

/// One head of one sequence: T queries look at S keys, all K wide. With `causal`, query t sees keys 0 .. t.
struct AttentionCall {
  int64_t queries, keys, width;  // T, S, K
  float scale;
  bool causal = false;
  const AttentionDropout* dropout = nullptr;  // null: nothing is dropped
  float* scratch = nullptr;                   // attention_scratch() floats, of one thread; contents do not matter
};

/// How many floats of scratch a call needs. Grows with both, so that the longest sequence serves all.
size_t attention_scratch(int64_t keys, int64_t width);

/// y_t = sum_s f_ts P_ts v_s with P = softmax(scale q k^T) over the keys and f the factors of the dropout. lse[t] is
/// the logarithm of the sum that P_t was divided by: P_ts = exp(scale q_t k_s - lse[t]). Scores exist only in the
/// scratch. What is not finite becomes NaN in the rows that it touches.
void attention_forward(const AttentionCall& call, HeadRows q, HeadRows k, HeadRows v, MutableHeadRows y, float* lse);

/// What backward reads besides the gradient of y: the arguments and results of forward.
struct AttentionSaved {
  HeadRows q, k, v, y;
  const float* lse;
};

/// The gradients of q, k and v, given that of y; what was there is overwritten. Weights and dropout are made again.
void attention_backward(const AttentionCall& call, const AttentionSaved& saved, HeadRows dy, MutableHeadRows dq,
                        MutableHeadRows dk, MutableHeadRows dv);

}  // namespace plumb::kernel
