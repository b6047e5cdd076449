#include "plumb/run/run_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

#include "plumb/base/error.h"

namespace plumb {

RunLock::RunLock(const std::filesystem::path& run) : folder_(open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_.is_open())
    throw DiskError(run.string(), "cannot be opened: " + reason_of(errno), "Choose another --out");
  // Some network disks have no locks; a run there is as safe as before there were any.
  if (flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw UserError(run.string(), "another process is training in it", "Wait for its end, or choose another --out");
  }
}

}  // namespace plumb
