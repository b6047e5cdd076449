#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "plumb/catalogue/run_files.h"
#include "plumb/optim/optimiser.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// `RUN/checkpoints/<update>/` with model.safetensors, optimizer.safetensors and state.json, which holds the SHA-256 of
/// the other two and everything that is needed to go on: written under a temporary name, synced, then renamed. What
/// carries its final name is whole, unless the disk lost something later; that is found out by the checksums.
class Checkpoints {
 public:
  explicit Checkpoints(std::filesystem::path run);

  /// `state` is the trainer's own part of state.json. `tensors_written` is called when parameters and optimiser are not
  /// looked at any more.
  void save(int64_t update, const ParameterStore& parameters, const Optimiser& optimiser, nlohmann::json state,
            const std::function<void()>& tensors_written = {}) const;

  /// The updates of all checkpoints, ascending. Leftovers of interrupted writes are not among them.
  std::vector<int64_t> updates() const;

  /// The update of "best" (by validation loss), "last", or of one by its number. Throws UserError if there is none.
  int64_t chosen(const std::string& which) const;

  /// The weights to use: those of the chosen checkpoint or, to be averaged, those of the last `average` ones.
  std::vector<std::filesystem::path> model_files(const std::string& which, int64_t average) const;

  /// The trainer's state of one checkpoint alone. Throws DamagedFile if it is missing or not whole.
  nlohmann::json state(int64_t update) const;

  /// Loads one checkpoint and gives back the trainer's state. Everything is checked before anything changes. Throws
  /// DamagedFile if a file is missing or not what its checksum says.
  nlohmann::json load(int64_t update, ParameterStore& parameters, Optimiser& optimiser) const;

  /// Removes what is neither among the newest `newest` (0: all are kept) nor in `spared`, and old leftovers.
  void prune(int64_t newest, const std::vector<int64_t>& spared) const;

  std::filesystem::path folder(int64_t update) const;
  std::filesystem::path model_file(int64_t update) const { return folder(update) / kModelFile; }

 private:
  std::filesystem::path root_;
};

/// The mean of several checkpoints' weights, into the store.
void load_average(ParameterStore& parameters, const std::vector<std::filesystem::path>& files);

}  // namespace plumb
