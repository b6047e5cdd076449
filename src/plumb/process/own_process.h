#pragma once

#include <functional>
#include <string>

namespace plumb {

/// What work in a process of its own has left.
struct WorkResult {
  bool succeeded = false;
  std::string bytes;  // also when it failed; empty if it took its process down
};

/// Does the work in a copy of this process that says nothing on stderr. For libraries that talk while they work and
/// call exit() in the middle when they meet what they did not expect, as SentencePiece's trainer does.
WorkResult in_own_process(const std::function<bool(std::string& bytes)>& work);

}  // namespace plumb
