#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// Bytes that come in order, from a file, a pipe or a terminal.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Puts at least one byte into `into`, or returns 0 at the end. Takes what is there instead of waiting for more, so
  /// that somebody who types lines gets answers line by line.
  virtual size_t read(std::span<char> into) = 0;
};

/// The bytes of `file`, unpacked if they begin as gzip does; the name of a file does not matter. `name` is for error
/// messages: UserError if it is not open or is a directory, DiskError if the disk fails, DamagedFile if packed bytes
/// are cut short or wrong.
std::unique_ptr<ByteSource> open_bytes(FileDescriptor file, std::string name);

/// The same for a path. Unlike open_to_read it takes named pipes, which is what `<(command)` of a shell is. Throws
/// UserError if there is nothing to read.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

}  // namespace plumb
