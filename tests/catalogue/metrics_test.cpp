#include "plumb/catalogue/metrics.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "plumb/catalogue/commands.h"

namespace plumb {
namespace {

TEST(Metrics, AreFoundByTheirNameAndByNothingElse) {
  ASSERT_EQ(metric_names().size(), metrics().size());
  for (size_t i = 0; i < metrics().size(); ++i) {
    EXPECT_EQ(metric_names()[i], metrics()[i].name);
    EXPECT_EQ(find_metric(metrics()[i].name), &metrics()[i]);
    EXPECT_FALSE(metrics()[i].formula.empty()) << metrics()[i].name;
    EXPECT_FALSE(metrics()[i].summary.empty()) << metrics()[i].name;
  }
  EXPECT_EQ(find_metric("bleus"), nullptr);
}

// `plumb score` says whose an option is.
TEST(Metrics, HaveOptionsOfTheirOwn) {
  std::set<std::string_view> options;
  for (const MetricRow& row : metrics()) {
    for (const std::string_view option : row.options) {
      EXPECT_TRUE(option.starts_with("--")) << option;
      EXPECT_TRUE(options.insert(option).second) << option << " belongs to two metrics";
    }
  }
}

TEST(Metrics, AreNamedByTheCommandThatScores) {
  const std::string summary(find_command("score")->summary);
  EXPECT_EQ(summary.find('{'), std::string::npos) << summary;
  for (const std::string_view name : metric_names()) {
    EXPECT_NE((summary + ',').find(" " + std::string(name) + ','), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace plumb
