#pragma once

#include <cstdint>

namespace plumb::kernel {

/// What dropout calls the rows of a packed batch: the line of a row is (sample[row], position[row], 0).
struct RowNames {
  const int64_t* sample = nullptr;    // [N]
  const int64_t* position = nullptr;  // [N]
};

}  // namespace plumb::kernel
