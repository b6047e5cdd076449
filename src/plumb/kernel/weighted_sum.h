#pragma once

#include <cstdint>

namespace plumb::kernel {

/// out[i] = sum_k weights[k] parts[k][i] for the elements begin .. end - 1.
void weighted_sum(const float* const* parts, const float* weights, int64_t count, float* out, int64_t begin,
                  int64_t end);

/// dpart[i] = weight dout[i]; returns the sum of part[i] dout[i], which is the slope of the weight. dpart may be null.
double weighted_sum_backward(const float* part, float weight, const float* dout, float* dpart, int64_t begin,
                             int64_t end);

}  // namespace plumb::kernel
