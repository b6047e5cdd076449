#pragma once

#include <string>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// Both ends of a pipe: `from` yields what is written to `to`. Started programs do not inherit them.
struct Pipe {
  FileDescriptor from, to;
};

/// Neither end is one of the three standard streams, even if this process was started without some of them: they can
/// be kept while a child's streams are set. Throws Error if there are too many open files.
Pipe make_pipe();

/// Everything up to the end of the file, or up to an error.
std::string read_to_end(const FileDescriptor& file);

/// Throws the error that everything here has in common: `plumb` cannot be connected to, because of this errno.
[[noreturn]] void no_connection(int error);

}  // namespace plumb
