#pragma once

#include <filesystem>
#include <string>

#include "plumb/probe/lanczos.h"

namespace plumb::probe {

/// The state of a Lanczos recursion beside its basis, so that an interrupted one goes on. `identity` says what was
/// measured; another one begins anew.
class LanczosFile {
 public:
  /// An empty path: nothing is kept.
  LanczosFile(std::filesystem::path file, std::string identity)
      : file_(std::move(file)), identity_(std::move(identity)) {}

  /// The steps that a process before this one has done; none if it measured something else.
  Lanczos::State load() const;
  void save(const Lanczos::State& state) const;

 private:
  std::filesystem::path file_;
  std::string identity_;
};

}  // namespace plumb::probe
