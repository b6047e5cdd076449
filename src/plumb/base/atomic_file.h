#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// A file that appears whole or not at all. Bytes go to a temporary name in the same directory; commit() brings them
/// to the disk and then renames, so that after a crash or a full disk the old file is still there, intact. Without
/// commit() the destructor removes the temporary. Every failure is a DiskError. A link is written through; what is no
/// file (a device, a pipe) would be replaced by one, which nobody wants: that is a UserError.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(const char* action, int error_number);
  void discard();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  FileDescriptor file_;
};

/// Brings the entries of a directory to the disk, after files in it were made or renamed: without this, a power cut can
/// bring the old ones back. The errno of what stopped it, or 0.
int sync_directory(const std::filesystem::path& directory);

/// Replaces the file at `path` by `text`, whole or not at all.
void write_whole(const std::filesystem::path& path, std::string_view text);

}  // namespace plumb
