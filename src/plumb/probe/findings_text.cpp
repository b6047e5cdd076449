#include "plumb/probe/findings_text.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "plumb/base/progress.h"
#include "plumb/base/sparkline.h"
#include "plumb/base/table.h"

namespace plumb::probe {
namespace {

constexpr size_t kLineWidth = 120, kMostCurves = 16, kMostPoints = 40;

std::string short_number(double value) {
  return fmt::format("{:.3g}", value);
}

std::string with_spread(const Summary& summary) {
  if (summary.count < 2) return short_number(summary.mean);
  return fmt::format("{:.3g} ± {:.1g}", summary.mean, summary.deviation);
}

/// Heights from the smallest to the largest; on a logarithmic scale where the values span more than a decade.
std::string picture(std::vector<double> values) {
  if (values.size() > kMostPoints) {
    std::vector<double> fewer;
    for (size_t i = 0; i < kMostPoints; ++i) fewer.push_back(values[i * values.size() / kMostPoints]);
    values = fewer;
  }
  const auto [low, high] = std::ranges::minmax(values);
  const bool logarithmic = low > 0 && high / low > 10;
  const auto height = [&](double value) {
    if (!(high > low)) return 0.5;
    if (logarithmic) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
  };
  std::vector<double> heights;
  for (double value : values) heights.push_back(height(value));
  return sparkline(heights);
}

std::string labels_text(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) text += (text.empty() ? "" : " ") + value;
  return text;
}

/// Curves that a matrix is made of, or a density: they are for programs.
bool too_many(const std::vector<Curve>& all, const std::string& number) {
  const auto same = static_cast<size_t>(std::ranges::count(all, number, &Curve::number));
  return same > kMostCurves;
}

}  // namespace

std::string in_words(const Finding& finding) {
  std::string text = fmt::format("{} ({}; {}): {}\n\n", finding.row->name, finding.row->paper,
                                 duration_text(finding.seconds), finding.row->summary);
  const auto right = Table::Align::Right;
  Table table({{"number"}, {"of"}, {"along"}, {"first", right}, {"last", right}, {"course"}});
  std::set<std::string> left_out;
  for (const Curve& curve : finding.means) {
    if (curve.points.empty()) continue;
    if (too_many(finding.means, curve.number)) {
      left_out.insert(curve.number);
      continue;
    }
    const bool single = curve.axis.empty();
    table.add_row({curve.number, labels_text(curve.labels), single ? "" : curve.axis,
                   single ? "" : with_spread(curve.points.front().over_seeds),
                   with_spread(curve.points.back().over_seeds), single ? "" : picture(curve.means())});
  }
  text += table.to_string(kLineWidth);
  text += '\n';
  for (const ProbeRow::Number& number : finding.row->numbers) {
    if (!find_curve(finding.means, std::string(number.name))) continue;
    text += fmt::format("  {}: {}{}\n", number.name, number.meaning,
                        left_out.contains(std::string(number.name)) ? " (--out and --json have them all)" : "");
  }
  return text + '\n';
}

std::string side_by_side(const std::vector<Findings>& all) {
  // A row for each number without an axis or with its last place, a column for each wiring.
  const auto right = Table::Align::Right;
  std::vector<Table::Column> columns = {{"probe"}, {"number"}, {"of"}};
  for (const Findings& one : all) columns.push_back({one.variant, right});
  Table table(columns);
  for (const Finding& finding : all.front().all) {
    for (const Curve& curve : finding.means) {
      if (curve.points.empty() || too_many(finding.means, curve.number)) continue;
      std::vector<std::string> row = {std::string(finding.row->name), curve.number, labels_text(curve.labels)};
      if (!curve.axis.empty()) row[2] += fmt::format(" {} {:.6g}", curve.axis, curve.points.back().at);
      for (const Findings& one : all) {
        const Curve* same = one.curve(std::string(finding.row->name), curve.number, curve.labels);
        row.push_back(same && !same->points.empty() ? with_spread(same->points.back().over_seeds) : "");
      }
      table.add_row(std::move(row));
    }
  }
  return table.to_string(kLineWidth);
}

}  // namespace plumb::probe
