#include "plumb/base/nearest_name.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

const std::vector<std::string_view> kNames = {"post_ln", "pre_ln", "b2t", "admin", "deepnorm", "warmup_updates"};

TEST(NearestName, CountsInsertionsDeletionsReplacementsAndSwapsAsOneEach) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("heads", "head"), 1u);
  EXPECT_EQ(edit_distance("heads", "hoads"), 1u);
  EXPECT_EQ(edit_distance("width", "wdith"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 2u);  // 3 in the restricted form: swap, then insert between the two
  EXPECT_EQ(edit_distance("Adam", "adam"), 0u);
}

TEST(NearestName, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest("postln", kNames), "post_ln");
  EXPECT_EQ(nearest("per_ln", kNames), "pre_ln");
  EXPECT_EQ(nearest("B2T", kNames), "b2t");
  EXPECT_EQ(nearest("deep_norm", kNames), "deepnorm");
  EXPECT_EQ(nearest("warmup_steps", kNames), "");  // 5 edits, 4 allowed
  EXPECT_EQ(nearest("warmupupdate", kNames), "warmup_updates");
  EXPECT_EQ(nearest("admin", kNames), "admin");
}

TEST(NearestName, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("transformer", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest("xy", std::vector<std::string_view>{"lr"}), "");  // two edits, but not one letter in common
  EXPECT_EQ(nearest("anything", {}), "");
}

TEST(NearestName, TakesTheFirstOfEquals) {
  EXPECT_EQ(nearest("bat", std::vector<std::string_view>{"cat", "hat"}), "cat");
}

TEST(NearestName, IsQuickForAnAbsurdlyLongWord) {
  EXPECT_EQ(nearest(std::string(10'000'000, 'a'), kNames), "");
}

}  // namespace
}  // namespace plumb
