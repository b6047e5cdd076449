#pragma once

#include <string>
#include <vector>

#include "plumb/checkpoint/checkpoint.h"
#include "plumb/config/config.h"
#include "plumb/data/data_pieces.h"

namespace plumb {

/// What a run is made of, besides its weights: a checkpoint keeps it, and who resumes it should have the same.
struct RunIdentity {
  Config config;
  int threads = 1;          // in effect; `threads = 0` of the config leaves it to the machine
  std::string fingerprint;  // of Prepared
  std::vector<DataPiece> pieces;

  /// Adds `config`, `threads`, `data` and `contents`.
  void add_to(CheckpointState& state) const;
};

/// How a checkpoint differs from the run that is to continue it, each change in words: "optim.lr was 0.001, is 0.002".
struct ResumeChanges {
  std::vector<std::string> config;    // keys that change the updates to come
  std::vector<std::string> data;      // files and vocabularies
  std::vector<std::string> harmless;  // keys that may_change_on_resume()

  bool matter() const { return !config.empty() || !data.empty(); }
  std::vector<std::string> all() const;
  /// What is wrong with the checkpoint, if they matter. Of the keys it names the first three.
  std::string problem() const;
};

/// `where` is the file of the state, for errors.
ResumeChanges changes_since(const CheckpointState& state, const RunIdentity& now, const std::string& where);

/// The changes since a checkpoint. Throws UserError, naming them, if they matter and are not allowed, and DamagedFile
/// if its state is not whole.
ResumeChanges accepted_changes(const Checkpoints& checkpoints, int64_t update, const RunIdentity& now,
                               bool allow_changes);

}  // namespace plumb
