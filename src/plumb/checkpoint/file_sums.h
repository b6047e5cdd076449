#pragma once

#include <filesystem>

#include "plumb/runs/checkpoint_state.h"

namespace plumb {

/// Both checksums of a file, in one look at it. Throws UserError if there is no such file.
FileSums sums_of_file(const std::filesystem::path& file);

/// Whether a file is the one that its checkpoint's state describes: by XXH64 or, of a checkpoint of an older version,
/// by SHA-256. Throws DamagedFile if it is not, is missing or is not a regular file.
void check_file(const std::filesystem::path& file, const CheckpointState& state);

/// What is recorded of a file of weights. One in a checkpoint's folder must have a state.json beside it and be listed
/// in it, or it is damaged; of a file from elsewhere nothing is known.
FileSums recorded_sums(const std::filesystem::path& file);

}  // namespace plumb
