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

/// Does the work in a copy of this process that has its stdin and stdout, and returns its exit code. What it says on
/// stderr is held back until it has ended. If it crashes, as a library may that is given hostile bytes, that is not
/// shown (glibc prints lines of its own): `on_crash` is called with the number of the signal, and throws.
int survived(const std::function<int()>& work, const std::function<void(int signal)>& on_crash);

}  // namespace plumb
