#pragma once

#include <filesystem>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// A run directory belongs to one process at a time: two that train in it would mix their logs and remove each other's
/// checkpoints. The lock is the operating system's, so it ends with the process, however that ends.
class RunLock {
 public:
  /// Throws UserError if another process trains in it. The directory must exist.
  explicit RunLock(const std::filesystem::path& run);

 private:
  FileDescriptor folder_;
};

}  // namespace plumb
