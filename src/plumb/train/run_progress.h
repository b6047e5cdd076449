#pragma once

#include <cstdint>

namespace plumb {

/// How far a run has come.
struct RunProgress {
  int64_t update = 0;
  double epoch = 0;    // 1.5 in the middle of the second
  int64_t tokens = 0;  // target tokens so far
};

}  // namespace plumb
