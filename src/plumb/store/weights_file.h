#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "plumb/store/parameter_store.h"

namespace plumb {

/// Writes every parameter under its own name, tied tensors once, as safetensors.
void save_weights(const ParameterStore& store, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

/// Reads a file into the store. The file must hold exactly the store's tensors (a tied one may also stand under its
/// second name, if both are equal) in F64, F32, F16 or BF16; all names, types and shapes are checked before the first
/// value changes. Throws DamagedFile or UserError, one line that names the tensor.
void load_weights(ParameterStore& store, const std::filesystem::path& path);

}  // namespace plumb
