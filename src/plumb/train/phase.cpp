#include "plumb/train/phase.h"

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"

namespace plumb {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");
static_assert(std::atomic_ref<uint64_t>::is_always_lock_free);

}  // namespace

PhaseFile::PhaseFile() {
  const char* path = std::getenv("PLUMB_PHASE_FILE");
  if (!path || !*path) return;
  const auto fail = [&](int error_number) {
    throw DiskError(path, "cannot be mapped: " + reason_of(error_number),
                    "Unset PLUMB_PHASE_FILE or name another file");
  };
  const FileDescriptor file(::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open() || ::ftruncate(file.get(), sizeof *shown_) != 0) fail(errno);
  void* map = ::mmap(nullptr, sizeof *shown_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) fail(errno);
  shown_ = static_cast<uint64_t*>(map);
  set(Phase::Preparing, 0);
}

PhaseFile::~PhaseFile() {
  if (shown_) ::munmap(shown_, sizeof *shown_);
}

}  // namespace plumb
