#include "plumb/base/directory_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

#include "plumb/base/error.h"

namespace plumb {

FileDescriptor lock_directory(const std::filesystem::path& directory, const std::string& busy) {
  FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) {
    throw DiskError(directory.string(), "cannot be opened: " + reason_of(errno), "Choose another --out");
  }
  // Some network disks have no locks; a run there is as safe as before there were any.
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw UserError(directory.string(), busy, "Wait for its end, or choose another --out");
  }
  return folder;
}

}  // namespace plumb
