#include "plumb/sweep/own_folder.h"

#include "plumb/base/directory_lock.h"
#include "plumb/base/error.h"

namespace plumb::sweep {

namespace fs = std::filesystem;

OwnFolder::OwnFolder(const fs::path& path) : path_(path) {
  if (path.empty()) throw UserError("--out", "is empty", "Name a directory for the runs");
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored)) {
    throw UserError(path.string(), "is no directory", "Choose another --out");
  }
  made_ = fs::create_directories(path, ignored);
  lock_ = lock_directory(path, "another process runs a sweep in it");
}

OwnFolder::~OwnFolder() {
  std::error_code not_empty;
  if (made_) fs::remove(path_, not_empty);
}

}  // namespace plumb::sweep
