#pragma once

#include <filesystem>
#include <string_view>

namespace plumb {

/// Makes a folder and those above it, unless they are there, and brings their entries to the disk: what is synced
/// inside a folder is lost with the folder. Throws DiskError with the remedy if that cannot be.
void make_folder(const std::filesystem::path& folder, std::string_view remedy = "Choose another --out");

}  // namespace plumb
