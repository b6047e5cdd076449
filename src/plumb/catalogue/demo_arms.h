#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace plumb {

/// One of the models that `plumb demo` trains side by side.
struct DemoArm {
  std::string_view variant;
  int64_t warmup_updates = 0;
};
std::span<const DemoArm> demo_arms();

}  // namespace plumb
