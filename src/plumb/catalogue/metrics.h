#pragma once

#include <span>
#include <string_view>

namespace plumb {

/// One way to score text against references; plumb/metric/measure.h computes it. All scores are in percent.
struct MetricRow {
  enum class Better { Higher, Lower };
  std::string_view name;
  Better better;
  bool several_references;
  std::string_view formula;
  std::string_view summary;  // one line
};

std::span<const MetricRow> metrics();
const MetricRow* find_metric(std::string_view name);

}  // namespace plumb
