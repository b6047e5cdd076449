#include "plumb/runs/run_lock.h"

#include "plumb/base/directory_lock.h"

namespace plumb {

RunLock::RunLock(const std::filesystem::path& run)
    : folder_(lock_directory(run, "another process is training in it")) {}

}  // namespace plumb
