// One map for each combination of the other keys, as in figure 10 of Liu et al. 2020: rows and columns are two keys of
// the grid.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/table.h"
#include "plumb/sweep/results_text.h"

namespace plumb::sweep {
namespace {

// From worst to best: viridis in the 256 colours of terminals, with the ink that can be read on each; blocks elsewhere.
struct Colour {
  int paper, ink;
};
constexpr std::array<Colour, 7> kColours = {
    {{54, 255}, {60, 255}, {31, 255}, {37, 16}, {71, 16}, {148, 16}, {226, 16}}};
constexpr std::array kBlocks = {" ", "░", "▒", "▓", "█"};

struct Axes {
  size_t rows, columns;
};

Axes axes_of(const Sweep& sweep, const std::vector<std::string>& keys) {
  const auto index = [&](const std::string& key) {
    return static_cast<size_t>(std::ranges::find(sweep.grid, key, &Axis::key) - sweep.grid.begin());
  };
  return {index(keys[0]), index(keys[1])};
}

/// How good a mean is among all means of the sweep: 0 the worst, 1 the best.
class Scale {
 public:
  explicit Scale(const SweepResults& results) : higher_(results.higher_is_better) {
    for (const ArmResult& arm : results.arms) {
      if (!arm.mean) continue;
      low_ = std::min(low_, *arm.mean);
      high_ = std::max(high_, *arm.mean);
    }
  }
  double operator()(double mean) const {
    if (!(high_ > low_)) return 1;
    const double share = (mean - low_) / (high_ - low_);
    return higher_ ? share : 1 - share;
  }
  bool any() const { return low_ <= high_; }
  double best() const { return higher_ ? high_ : low_; }
  double worst() const { return higher_ ? low_ : high_; }

 private:
  bool higher_;
  double low_ = HUGE_VAL, high_ = -HUGE_VAL;
};

template <class Steps>
const auto& step_of(const Steps& steps, double share) {
  const auto last = static_cast<double>(steps.size() - 1);
  return steps[static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last))];
}

std::string cell_text(const ArmResult& arm) {
  if (arm.mean) return fmt::format("{:.3g}", *arm.mean);
  if (arm.failed == 0) return "to do";
  if (arm.runs.size() == 1) return arm.outcomes.begin()->first;
  return fmt::format("failed {}/{}", arm.failed, arm.runs.size());
}

std::string padded(const std::string& text, size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + text;
}

std::string cell(const ArmResult& arm, const Scale& scale, size_t width, bool colours) {
  const std::string text = cell_text(arm);
  if (colours) {
    if (!arm.mean) return "\x1b[31m" + padded(text, width + 1) + " \x1b[0m";
    const auto [paper, ink] = step_of(kColours, scale(*arm.mean));
    return fmt::format("\x1b[48;5;{};38;5;{}m{} \x1b[0m", paper, ink, padded(text, width + 1));
  }
  return padded(text, width + 1) + (arm.mean ? step_of(kBlocks, scale(*arm.mean)) : arm.failed > 0 ? "✗" : " ");
}

/// The arms of one map, by the values of its two keys.
using Cells = std::map<std::pair<std::string, std::string>, const ArmResult*>;

struct Panel {
  std::string title;
  Cells cells;
};

std::vector<Panel> panels_of(const SweepResults& results, const Axes& axes) {
  std::vector<Panel> panels;
  for (const ArmResult& arm : results.arms) {
    std::string title = arm.arm.listed;
    for (size_t i = 0; i < arm.arm.point.size(); ++i) {
      if (i == axes.rows || i == axes.columns) continue;
      title += fmt::format("{}{}={}", title.empty() ? "" : " ", short_key(results.sweep, results.sweep.grid[i].key),
                           plain_value(arm.arm.point[i]));
    }
    auto panel = std::ranges::find(panels, title, &Panel::title);
    if (panel == panels.end()) panel = panels.insert(panels.end(), {title, {}});
    panel->cells[{arm.arm.point[axes.rows], arm.arm.point[axes.columns]}] = &arm;
  }
  return panels;
}

std::string panel_text(const SweepResults& results, const Axes& axes, const Panel& panel, const Scale& scale,
                       bool colours) {
  const Axis &rows = results.sweep.grid[axes.rows], &columns = results.sweep.grid[axes.columns];
  const std::string corner = short_key(results.sweep, rows.key) + " \\ " + short_key(results.sweep, columns.key);
  size_t label = display_width(corner);
  for (const std::string& value : rows.values) label = std::max(label, display_width(plain_value(value)));
  std::vector<size_t> widths;
  for (const std::string& column : columns.values) {
    size_t width = display_width(plain_value(column));
    for (const std::string& row : rows.values) {
      width = std::max(width, display_width(cell_text(*panel.cells.at({row, column}))));
    }
    widths.push_back(width);
  }
  std::string text = "\n" + (panel.title.empty() ? "" : panel.title + "\n") + padded(corner, label) + " ";
  for (size_t c = 0; c < widths.size(); ++c) text += padded(plain_value(columns.values[c]), widths[c] + 1) + " ";
  while (text.ends_with(' ')) text.pop_back();
  for (const std::string& row : rows.values) {
    text += "\n" + padded(plain_value(row), label) + " ";
    for (size_t c = 0; c < widths.size(); ++c) {
      text += cell(*panel.cells.at({row, columns.values[c]}), scale, widths[c], colours);
    }
    while (text.ends_with(' ')) text.pop_back();
  }
  return text + "\n";
}

}  // namespace

std::string heat_maps_text(const SweepResults& results, bool colours) {
  const std::vector<std::string> keys = heat_map_keys(results.sweep);
  if (keys.empty()) return "";
  const Axes axes = axes_of(results.sweep, keys);
  const Scale scale(results);
  std::string text;
  for (const Panel& panel : panels_of(results, axes)) text += panel_text(results, axes, panel, scale, colours);
  if (!scale.any()) return text;
  return text + fmt::format("{} from {:.3g} (best{}) to {:.3g} (worst{})\n", results.sweep.metric, scale.best(),
                            colours ? "" : ", █", scale.worst(), colours ? "" : ", blank");
}

}  // namespace plumb::sweep
