#include "plumb/probe/readings.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"

namespace plumb::probe {
namespace {

Readings two_layers(double first, double second, double alone) {
  Readings readings;
  readings.add("size", {{"stack", "encoder"}}, "layer", 2, second);
  readings.add("size", {{"stack", "encoder"}}, "layer", 1, first);
  readings.add("loss", {}, alone);
  return readings;
}

TEST(Curves, HaveTheMeanOverSeedsAtEveryPlace) {
  const std::vector<Curve> all = curves({two_layers(1, 10, 5), two_layers(3, 20, 5)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].number, "size");  // in the order of the first reading
  EXPECT_EQ(all[0].axis, "layer");
  EXPECT_EQ(all[0].places(), (std::vector<double>{1, 2}));
  EXPECT_EQ(all[0].means(), (std::vector<double>{2, 15}));
  EXPECT_NEAR(all[0].points[0].over_seeds.deviation, std::sqrt(2.0), 1e-12);
  EXPECT_EQ(all[1].points.size(), 1u);
}

TEST(Curves, AreFoundByNumberAndSomeLabels) {
  Readings readings;
  readings.add("matrix", {{"stack", "encoder"}, {"matrix", "fc1"}}, "layer", 1, 1);
  readings.add("matrix", {{"stack", "decoder"}, {"matrix", "fc1"}}, "layer", 1, 2);
  const std::vector<Curve> all = curves({readings});
  ASSERT_NE(find_curve(all, "matrix", {{"stack", "decoder"}}), nullptr);
  EXPECT_EQ(find_curve(all, "matrix", {{"stack", "decoder"}})->means().front(), 2);
  EXPECT_EQ(find_curve(all, "matrix", {{"stack", "neither"}}), nullptr);
  EXPECT_EQ(find_curve(all, "layer"), nullptr);
}

TEST(Curves, AsRecordsHaveTheirLabelsAndAxis) {
  EXPECT_EQ(
      to_json_line(to_json(ProbeRecord(record_of(curves({two_layers(1, 2, 3)}).front())))),
      R"({"at":[1.0,2.0],"axis":"layer","deviation":[0.0,0.0],"high":["Infinity","Infinity"],"low":["-Infinity","-Infinity"],"mean":[1.0,2.0],)"
      R"("number":"size","probe":"","seeds":1,"stack":"encoder","type":"curve","variant":""})");
}

}  // namespace
}  // namespace plumb::probe
