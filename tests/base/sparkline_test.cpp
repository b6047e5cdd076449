#include "plumb/base/sparkline.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Sparkline, OneBlockPerValue) {
  EXPECT_EQ(sparkline(std::vector<double>{0, 0.5, 1}), "▁▅█");
}

TEST(Sparkline, CutsOffWhatLiesOutside) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sparkline(std::vector<double>{-infinity, -1, 2, infinity}), "▁▁██");
}

TEST(Sparkline, ShowsThatAValueIsNone) {
  EXPECT_EQ(sparkline(std::vector<double>{std::numeric_limits<double>::quiet_NaN()}), "?");
}

}  // namespace
}  // namespace plumb
