#include <fmt/format.h>

#include "plumb/config/field_text.h"
#include "plumb/sweep/read_sweep.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

std::string list_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// `model.width=64` as the line `"model.width" = 64`.
std::string line_of(const Override& one) {
  const size_t equals = one.find('=');
  return fmt::format("{} = {}\n", plumb::quoted(one.substr(0, equals)), one.substr(equals + 1));
}

}  // namespace

std::string to_toml(const Sweep& sweep) {
  std::string text = fmt::format("name = {}\n", plumb::quoted(sweep.name));
  if (!sweep.config.empty())
    text += fmt::format("config = {}\n", plumb::quoted(fs::absolute(sweep.config).lexically_normal().string()));
  text += fmt::format("seeds = [{}]\nthreads = {}\n", fmt::join(sweep.seeds, ", "), sweep.threads);
  if (sweep.cores > 0) text += fmt::format("cores = {}\n", sweep.cores);
  text += fmt::format("metric = {}\n", plumb::quoted(sweep.metric));
  if (!sweep.baseline.empty()) text += fmt::format("baseline = {}\n", plumb::quoted(sweep.baseline));
  if (sweep.test)
    text += fmt::format("test = {}\n", sweep.test_metric.empty() ? "true" : plumb::quoted(sweep.test_metric));
  if (sweep.test_average != 1) text += fmt::format("average = {}\n", sweep.test_average);
  if (!sweep.heatmap.empty())
    text += fmt::format("heatmap = [{}, {}]\n", plumb::quoted(sweep.heatmap[0]), plumb::quoted(sweep.heatmap[1]));
  if (!sweep.set.empty()) text += "\n[set]\n";
  for (const Override& one : sweep.set) text += line_of(one);
  if (!sweep.grid.empty()) text += "\n[grid]\n";
  for (const Axis& axis : sweep.grid) text += fmt::format("{} = {}\n", plumb::quoted(axis.key), list_text(axis.values));
  for (const ListedArm& arm : sweep.arms) {
    text += fmt::format("\n[[arm]]\nname = {}\n", plumb::quoted(arm.name));
    for (const Override& one : arm.overrides) text += line_of(one);
  }
  return text;
}

}  // namespace plumb::sweep
