#pragma once

#include <filesystem>
#include <vector>

#include "plumb/store/parameter_store.h"
#include "plumb/store/weights_file.h"

namespace plumb {

/// Reads a file of weights into the store, as load_weights() does. A file of a checkpoint is verified by the checksum
/// in its state.json while it is read, and one whose weights are not finite is refused: both are a DamagedFile.
void load_model(ParameterStore& parameters, const std::filesystem::path& file);

/// The same for load_matching_weights().
Unmatched load_matching_model(ParameterStore& parameters, const std::filesystem::path& file);

/// The mean of several checkpoints' weights, each verified, into the store.
void load_average(ParameterStore& parameters, const std::vector<std::filesystem::path>& files);

/// Throws DamagedFile, naming `file` and the tensor, if a weight in the store is not finite.
void check_finite(const ParameterStore& parameters, const std::filesystem::path& file);

}  // namespace plumb
