#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace plumb {

/// Owns one open file of the operating system. Files that must reach the disk (AtomicFile) or be read piece by piece
/// (SafetensorsReader) need fsync and pread, which iostreams hide.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  /// The errno of close(2), or 0. Network disks report a failed write only here.
  int close();

 private:
  int fd_ = -1;
};

/// "No space left on device" and the like; unlike strerror, safe with threads.
std::string reason_of(int error_number);

/// Opens a regular file and tells its size. Throws UserError if it is absent, forbidden, or a directory or device.
FileDescriptor open_to_read(const std::string& path, uint64_t* size = nullptr);

/// Fills `into` from `offset` on and returns how many bytes there were: fewer than asked only at the end of the
/// file. Throws DiskError, naming `path`, if the disk cannot deliver.
size_t read_at(const FileDescriptor& file, const std::string& path, std::span<std::byte> into, uint64_t offset);

/// Writes everything at the current place. The errno of what stopped it, or 0: who writes knows the remedy.
int write_fully(const FileDescriptor& file, std::span<const std::byte> bytes);

}  // namespace plumb
