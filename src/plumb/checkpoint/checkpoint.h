#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "plumb/catalogue/run_files.h"
#include "plumb/optim/optimiser.h"
#include "plumb/runs/checkpoint_state.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// `RUN/checkpoints/<update>/` with model.safetensors, optimizer.safetensors and state.json, which holds the checksums
/// of all three and everything that is needed to go on: written under a temporary name, synced, then renamed. What
/// carries its final name is whole, unless the disk lost something later; that is found out by the checksums.
class Checkpoints {
 public:
  explicit Checkpoints(std::filesystem::path run);

  /// Adds the update, the optimiser's steps and the checksums to the trainer's `state`. `tensors_written` is called
  /// when parameters and optimiser are not looked at any more. One of the same update is replaced. Throws DiskError,
  /// also if the disk does not confirm that it has everything.
  void save(int64_t update, const ParameterStore& parameters, const Optimiser& optimiser, CheckpointState state,
            const std::function<void()>& tensors_written = {}) const;

  /// The updates of all checkpoints, ascending. Leftovers of interrupted writes are not among them.
  std::vector<int64_t> updates() const;

  /// The update of "best" (by validation loss), "last", or of one by its number. Throws UserError if there is none.
  int64_t chosen(const std::string& which) const;

  /// The trainer's state of one checkpoint alone. Throws DamagedFile if it is missing or not whole.
  CheckpointState state(int64_t update) const;

  /// Throws DamagedFile if a file of this checkpoint is missing or not what its checksum says.
  void check(int64_t update) const;

  /// Loads one checkpoint and gives back the trainer's state. Everything is checked before anything changes, except
  /// that weights have to be read to see whether they are finite. Throws DamagedFile as check() does, and for such
  /// weights.
  CheckpointState load(int64_t update, ParameterStore& parameters, Optimiser& optimiser) const;

  /// Takes the number away from a checkpoint, then removes it. What cannot be removed stays as a leftover.
  void remove(int64_t update) const;

  /// Removes what interrupted writes and removals have left. Only who owns the run may call it.
  void remove_leftovers() const;

  /// Moves all checkpoints, whole or not, to a folder `checkpoints-1` (or the next number) of the run, which is given
  /// back; empty if there are none.
  std::filesystem::path set_aside() const;

  std::filesystem::path folder(int64_t update) const;
  std::filesystem::path model_file(int64_t update) const { return folder(update) / kModelFile; }

 private:
  std::filesystem::path root_;
};

}  // namespace plumb
