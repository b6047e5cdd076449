#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plumb/store/parameter_store.h"

namespace plumb {

/// Writes every parameter under its own name, tied tensors once, as safetensors.
void save_weights(const ParameterStore& store, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

/// Whether the file holds exactly the store's tensors (a tied one may also stand under its second name) in their
/// shapes, as F64, F32, F16 or BF16. The store need not be allocated yet, so that a wrong file costs no memory.
/// Throws DamagedFile or UserError, one line that names the tensor.
void check_weights(const ParameterStore& store, const std::filesystem::path& path);

/// Names that a store and a file do not share.
struct Unmatched {
  std::vector<std::string> missing;  // of the store, not in the file
  std::vector<std::string> unused;   // of the file, not in the store
};

/// Reads those tensors of a file that the store has by name, for fine-tuning: heads differ. Throws UserError if it has
/// none of them, or one in another shape.
Unmatched load_matching_weights(ParameterStore& store, const std::filesystem::path& path);

/// Reads a file into the store. Everything is checked before the first value changes; a tied tensor that stands in
/// the file twice must be equal in both places.
void load_weights(ParameterStore& store, const std::filesystem::path& path);

}  // namespace plumb
