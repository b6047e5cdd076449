#include "plumb/base/file_descriptor.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plumb/base/error.h"

namespace plumb {

int FileDescriptor::close() {
  if (fd_ < 0) return 0;
  return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno;
}

std::string reason_of(int error_number) {
  return std::generic_category().message(error_number);
}

FileDescriptor open_to_read(const std::string& path, uint64_t* size) {
  // Not blocking: opening a pipe would otherwise wait for somebody to write.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
    throw UserError(path, "cannot be opened: " + reason_of(errno), "Check the name and your right to read it");
  }
  if (!S_ISREG(status.st_mode)) {
    throw UserError(path, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file",
                    "Give the name of a file");
  }
  if (size != nullptr) *size = static_cast<uint64_t>(status.st_size);
  return file;
}

size_t read_at(const FileDescriptor& file, const std::string& path, std::span<std::byte> into, uint64_t offset) {
  size_t done = 0;
  while (done < into.size()) {  // one call returns at most 2 GB, and less after a signal
    const ssize_t got = ::pread(file.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw DiskError(path, "cannot be read: " + reason_of(errno), "Check the disk, or use a copy");
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

int write_fully(const FileDescriptor& file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace plumb
