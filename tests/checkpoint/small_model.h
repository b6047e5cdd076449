#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "plumb/checkpoint/checkpoint.h"

#include "support/temporary_directory.h"

namespace plumb {

/// A model of one vector with an Adam that has made some steps.
struct Small {
  ParameterStore store;
  std::unique_ptr<Optimiser> optimiser;

  explicit Small(double value, int steps = 3) {
    store.declare({"w", {5}, {.value = value}});
    store.allocate(at::kFloat);
    store.draw(1);
    optimiser = make_optimiser({}, store);
    for (int i = 0; i < steps; ++i) {
      store.gradient("w").fill_(0.5);
      optimiser->step(1e-2);
    }
  }

  void save(const Checkpoints& checkpoints, int64_t update, const CheckpointState& state = {}) const {
    checkpoints.save(update, store, *optimiser, state);
  }
};

/// Flips one bit of a file, counted from its end.
inline void flip(const std::filesystem::path& file, size_t from_end = 1) {
  std::string bytes = read_all(file);
  bytes[bytes.size() - from_end] ^= 4;
  write_all(file, bytes);
}

/// Takes from a checkpoint what older versions did not write: the checksum of state.json, and the quick ones.
inline void make_older(const std::filesystem::path& folder) {
  nlohmann::json state = nlohmann::json::parse(read_all(folder / "state.json"));
  state.erase("checksum");
  state.erase("xxh64");
  write_all(folder / "state.json", state.dump(1) + '\n');
}

}  // namespace plumb
