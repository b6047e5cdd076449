#include "plumb/kernel/simd.h"

#include <gtest/gtest.h>

namespace plumb::kernel {
namespace {

TEST(Simd, HasAName) {
  EXPECT_FALSE(simd_name().empty());
  EXPECT_EQ(simd_name().find("Unknown"), std::string::npos) << simd_name();
}

}  // namespace
}  // namespace plumb::kernel
