#pragma once

#include <cstdint>

namespace plumb::kernel {

/// out[i] = the sum of x[from[i, j]] over j < terms, in this order. A negative index is a row of zeros, which is not
/// added.
struct GatherRows {
  int64_t terms = 1;
  int64_t width = 0;              // D
  const float* x = nullptr;       // [any number, D]
  const int64_t* from = nullptr;  // [N, terms]
  float* out = nullptr;           // [N, D]
};

/// The rows begin .. end - 1 of `out`.
void gather_rows(const GatherRows& call, int64_t begin, int64_t end);

}  // namespace plumb::kernel
