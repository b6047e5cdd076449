#include "plumb/runs/checkpoint_list.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/runs/checkpoint_state.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

}  // namespace

// Only as a checkpoint is named: neither -5 nor 007.
std::optional<int64_t> update_named(const std::string& text) {
  int64_t update = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), update);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (update < 0 || std::to_string(update) != text) return std::nullopt;
  return update;
}

std::vector<int64_t> checkpoint_updates(const fs::path& run) {
  std::vector<int64_t> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run / kCheckpointsFolder, ignored)) {
    if (const auto update = update_named(entry.path().filename().string())) all.push_back(*update);
  }
  std::ranges::sort(all);
  return all;
}

fs::path checkpoint_folder(const fs::path& run, int64_t update) {
  return run / kCheckpointsFolder / std::to_string(update);
}

int64_t chosen_checkpoint(const fs::path& run, const std::string& which) {
  const std::vector<int64_t> all = checkpoint_updates(run);
  if (all.empty()) {
    throw UserError(run.string(), "holds no checkpoint", "Name a run directory that `plumb train` wrote");
  }
  if (which == "last") return all.back();
  if (which == "best") {
    const int64_t best = read_checkpoint_state(checkpoint_folder(run, all.back())).position.best_update;
    return std::ranges::find(all, best) != all.end() ? best : all.back();
  }
  const std::optional<int64_t> update = update_named(which);
  if (update && std::ranges::find(all, *update) != all.end()) return *update;
  throw UserError("--checkpoint", fmt::format("there is no checkpoint {}", which),
                  fmt::format("Use best, last, or one of {}", fmt::join(all, ", ")));
}

}  // namespace plumb
