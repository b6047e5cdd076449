#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// The update of a checkpoint's folder, by its name; nothing if that is another name.
std::optional<int64_t> update_named(const std::string& text);

/// The updates of a run's checkpoints, ascending. Leftovers of interrupted writes are not among them.
std::vector<int64_t> checkpoint_updates(const std::filesystem::path& run);

/// The folder of the checkpoint of one update.
std::filesystem::path checkpoint_folder(const std::filesystem::path& run, int64_t update);

/// The update of "best" (by validation loss), "last", or of one by its number. Throws UserError if there is none.
int64_t chosen_checkpoint(const std::filesystem::path& run, const std::string& which);

}  // namespace plumb
