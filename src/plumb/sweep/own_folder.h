#pragma once

#include <filesystem>

#include "plumb/base/file_descriptor.h"

namespace plumb::sweep {

/// The folder of all runs, which nobody else has as long as this lives. One that was made for it and has stayed empty,
/// since something was wrong with the sweep, goes with it.
class OwnFolder {
 public:
  explicit OwnFolder(const std::filesystem::path& path);
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder();

 private:
  std::filesystem::path path_;
  bool made_ = false;
  FileDescriptor lock_;
};

}  // namespace plumb::sweep
