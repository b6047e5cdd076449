#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace plumb {

/// What is recorded of a file of a checkpoint. XXH64 is quick enough for everybody who reads the file; a checkpoint of
/// an older version has SHA-256 alone.
struct FileSums {
  std::string sha256 = {};
  std::string xxh64 = {};  // empty: of an older version

  bool operator==(const FileSums&) const = default;
};

/// state.json of a checkpoint: everything that is needed to go on, besides weights and optimiser, and the checksums of
/// their files. It is written and read here and nowhere else. The text has a checksum of itself; one of an older
/// version has none, and is believed as far as its types and ranges go.
struct CheckpointState {
  struct Position {
    int64_t update = 0;
    int64_t epoch = 0, batch = 0;  // the batch is that of the epoch
    int64_t tokens = 0;            // target tokens seen so far
    double best_loss = 0;          // of the validations; of no meaning if best_update is -1
    int64_t best_update = -1;
    int64_t bad_validations = 0;  // in a row
  };

  Position position = {};
  int64_t optimiser_steps = 0;
  std::map<std::string, FileSums> files = {};
  nlohmann::json guard = nlohmann::json::object();     // what the guard over losses keeps, numbers by name
  std::string config = {};                             // as TOML
  int64_t threads = 1;                                 // in effect
  std::string data = {};                               // fingerprint of texts and vocabularies
  nlohmann::json contents = nlohmann::json::object();  // hash and size of each of these (data/data_pieces.h)
  std::string prepared = {};                           // the files that were read
  bool has_checksum = true;
};

/// As it is written.
std::string to_text(const CheckpointState& state);

/// The way back. Throws DamagedFile, with `where`, for anything that to_text() of this or an older version does not
/// write: a wrong checksum, type or range. That of a newer version is a UserError.
CheckpointState checkpoint_state_of(const std::string& text, const std::string& where);

/// Of a checkpoint's folder. Throws DamagedFile also if state.json is missing, not a regular file, or the state of
/// another update than the folder is named after.
CheckpointState read_checkpoint_state(const std::filesystem::path& folder);

}  // namespace plumb
