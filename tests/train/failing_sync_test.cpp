// A disk that does not confirm what it was given: the folder of all checkpoints cannot be synced once the newest one is
// in place. The program's own fsync comes before the system's.

#include <cerrno>
#include <filesystem>
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/train/checkpoint_writer.h"

#include "support/temporary_directory.h"

namespace {
std::string failing_folder;  // empty: none
}

extern "C" int fsync(int fd) {
  std::error_code ignored;
  const std::filesystem::path what = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
  if (!failing_folder.empty() && what == failing_folder && std::filesystem::exists(what / "30", ignored)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace plumb {
namespace {

TEST(FailingSync, IsAnErrorAfterWhichNothingIsRemoved) {
  const TemporaryDirectory run;
  ParameterStore store;
  store.declare({"w", {5}, {.value = 1}});
  store.allocate(at::kFloat);
  const std::unique_ptr<Optimiser> optimiser = make_optimiser({}, store);
  const Checkpoints checkpoints(run.path());
  for (const int64_t update : {10, 20}) checkpoints.save(update, store, *optimiser, {});
  PhaseFile phase;
  CheckpointWriter writer(checkpoints, phase);
  failing_folder = std::filesystem::canonical(run / "checkpoints");
  writer.start(30, store, *optimiser, {}, {.newest = 1, .spared = {}});
  EXPECT_THROW(writer.wait(), DiskError);
  failing_folder.clear();
  EXPECT_EQ(checkpoints.updates(), (std::vector<int64_t>{10, 20, 30}));
}

}  // namespace
}  // namespace plumb
