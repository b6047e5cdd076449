#pragma once

#include <cstdint>

namespace plumb::bench {

/// GFLOP/s of a product of square float matrices: the best of a few.
double sgemm_gflops(int64_t size);

/// The largest resident size of this process so far.
int64_t peak_bytes();

/// How many pages this process has touched for the first time.
int64_t page_faults();

}  // namespace plumb::bench
