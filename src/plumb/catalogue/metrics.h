#pragma once

#include <span>
#include <string_view>

namespace plumb {

/// One way to score text against references; plumb/metric/measure.cpp computes it. All scores are in percent. What
/// `plumb score` must know of a metric is said here: nothing else asks for its name.
struct MetricRow {
  enum class Better { Higher, Lower };
  std::string_view name;
  Better better = Better::Higher;
  bool several_references = false;
  bool binary_labels = false;                      // every line is 0 or 1, and 1 is the positive class
  bool quadratic_time = false;                     // in the length of a line
  std::span<const std::string_view> options = {};  // of `plumb score`, that no other metric takes
  std::string_view formula;
  std::string_view summary;  // one line
};

std::span<const MetricRow> metrics();
std::span<const std::string_view> metric_names();
const MetricRow* find_metric(std::string_view name);

}  // namespace plumb
