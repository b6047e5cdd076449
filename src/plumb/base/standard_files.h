#pragma once

#include <string>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// Opens those of the file descriptors 0 to 2 that the process was started without. Otherwise the next file that is
/// opened, a log or a checkpoint, would get such a number and with it everything that is printed. What was closed stays
/// useless: reading from stdin and writing to stdout fail, talk on stderr disappears. Both programs call it first.
void open_standard_files();

/// A copy of stdin, to read from. Throws UserError with the remedy if the process was started without one.
FileDescriptor standard_input(const std::string& remedy);

}  // namespace plumb
