#include "plumb/catalogue/demo_arms.h"

namespace plumb {
namespace {

// Xiong et al. 2020 in one table: what fails, two wirings that cure it, and the old cure.
constexpr DemoArm kArms[] = {
    {.variant = "post_ln"},
    {.variant = "pre_ln"},
    {.variant = "b2t"},
    {.variant = "post_ln", .warmup_updates = 400},
};

}  // namespace

std::span<const DemoArm> demo_arms() {
  return kArms;
}

}  // namespace plumb
