#include "plumb/runs/checkpoint_list.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/catalogue/run_files.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> update_named(const std::string& text) {
  int64_t update = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), update);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return update;
}

}  // namespace

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

nlohmann::json checkpoint_state(const fs::path& run, int64_t update) {
  const fs::path path = checkpoint_folder(run, update) / kStateFile;
  nlohmann::json state = nlohmann::json::parse(file_content(path), nullptr, /*allow_exceptions=*/false);
  const bool whole = state.is_object() && state.contains("files") && state.contains("optimiser_steps");
  if (!whole) throw DamagedFile(path.string(), "is missing or not whole", "Resume from an earlier one");
  return state;
}

int64_t chosen_checkpoint(const fs::path& run, const std::string& which) {
  const std::vector<int64_t> all = checkpoint_updates(run);
  if (all.empty()) {
    throw UserError(run.string(), "holds no checkpoint", "Name a run directory that `plumb train` wrote");
  }
  if (which == "last") return all.back();
  if (which == "best") {
    const nlohmann::json newest = checkpoint_state(run, all.back());
    const int64_t best = newest.contains("position") ? newest["position"].value("best_update", int64_t{0}) : 0;
    return std::ranges::find(all, best) != all.end() ? best : all.back();
  }
  const std::optional<int64_t> update = update_named(which);
  if (update && std::ranges::find(all, *update) != all.end()) return *update;
  throw UserError("--checkpoint", fmt::format("there is no checkpoint {}", which),
                  fmt::format("Use best, last, or one of {}", fmt::join(all, ", ")));
}

}  // namespace plumb
