#pragma once

#include <filesystem>
#include <string>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// Makes a directory belong to this process as long as what it returns stays open. The lock is the operating system's,
/// so it ends with the process, however that ends. Throws UserError, with `busy` as the problem, if another process has
/// it, and DiskError if it cannot be opened.
FileDescriptor lock_directory(const std::filesystem::path& directory, const std::string& busy);

}  // namespace plumb
