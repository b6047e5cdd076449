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
/// none of them, or one in another shape. `xxh64` as in load_weights().
Unmatched load_matching_weights(ParameterStore& store, const std::filesystem::path& path,
                                const std::string& xxh64 = "");

/// Reads a file into the store. Names, types and shapes are checked before the first value changes; a tied tensor that
/// stands in the file twice must be equal in both places.
///
/// `xxh64` is the checksum that the file should have; empty: none is known. It is taken of the bytes as they are read,
/// so that it costs no second look at the file: only after the last one a DamagedFile can say that the store holds
/// nonsense.
void load_weights(ParameterStore& store, const std::filesystem::path& path, const std::string& xxh64 = "");

/// The first tensor that has a value which is not finite; empty if there is none.
std::string nonfinite_tensor(const ParameterStore& store);

}  // namespace plumb
