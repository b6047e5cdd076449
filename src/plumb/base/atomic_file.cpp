#include "plumb/base/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/disk_remedy.h"
#include "plumb/base/error.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Independent of the final name, which may already be as long as a name can be.
fs::path temporary_name(const fs::path& directory) {
  static std::atomic<unsigned> next{0};
  return directory / fmt::format(".plumb-{}-{}.tmp", ::getpid(), next++);
}

// A rename would replace the link, not what it points to.
fs::path behind_links(fs::path path) {
  std::error_code ignored;
  if (fs::is_other(fs::status(path, ignored))) {
    throw UserError(path.string(), "is no file but a device or a pipe", "Name a file");
  }
  for (int links = 0; links < 40 && fs::is_symlink(path, ignored); ++links) {
    path = directory_of(path) / fs::read_symlink(path, ignored);
  }
  return path;
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(behind_links(std::move(path))) {
  do {  // a crashed process with our number may have left its temporary behind
    temporary_ = temporary_name(directory_of(path_));
    file_ = FileDescriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  } while (!file_.is_open() && (errno == EEXIST || errno == EINTR));
  if (!file_.is_open()) {
    const int error_number = errno;
    temporary_.clear();
    fail("cannot be created", error_number);
  }
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (!file_.is_open()) throw std::logic_error("AtomicFile: write to " + path_.string() + " after its end");
  if (const int error_number = write_fully(file_, bytes); error_number != 0) fail("cannot be written", error_number);
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  if (!file_.is_open()) throw std::logic_error("AtomicFile: second commit of " + path_.string());
  if (::fsync(file_.get()) != 0) fail("cannot be brought to the disk", errno);
  if (const int error_number = file_.close(); error_number != 0) fail("cannot be closed", error_number);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be put in place", errno);
  temporary_.clear();
  if (const int error_number = sync_directory(directory_of(path_)); error_number != 0) {
    fail("is written, but its directory cannot be brought to the disk", error_number);
  }
}

void AtomicFile::fail(const char* action, int error_number) {
  discard();
  throw DiskError(path_.string(), fmt::format("{}: {}", action, reason_of(error_number)), disk_remedy(error_number));
}

void AtomicFile::discard() {
  file_.close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

int sync_directory(const fs::path& directory) {
  const FileDescriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return errno == EACCES ? 0 : errno;  // a directory may be writable yet not readable
  if (::fsync(opened.get()) == 0) return 0;
  return errno == EINVAL || errno == ENOTSUP ? 0 : errno;  // some file systems cannot, and have no need to
}

void write_whole(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace plumb
