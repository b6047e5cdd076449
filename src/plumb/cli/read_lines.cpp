#include "plumb/cli/read_lines.h"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/standard_files.h"
#include "plumb/base/to_stderr.h"
#include "plumb/process/memory_limits.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

constexpr double kPiece = 64e6, kReserve = 256e6;  // bytes between two looks at the memory, and to be left for others

LineReader open_lines(const std::string& path) {
  if (!path.empty()) return LineReader(path);
  FileDescriptor input = standard_input("Give the lines: < FILE");
  if (isatty(STDIN_FILENO)) to_stderr("plumb: reading lines from the terminal; Ctrl-D ends them\n");
  return LineReader(std::move(input), "stdin");
}

// A small packed file may hold more lines than there is memory, and the system would end whoever reads them all.
void check_room(const std::string& name, double bytes) {
  for (const MemoryLimit& limit : memory_limits()) {
    if (static_cast<double>(limit.left) >= kReserve) continue;
    throw UserError(name,
                    fmt::format("{} of lines do not fit into memory; {} leaves {}", gigabytes(bytes), limit.name,
                                gigabytes(static_cast<double>(limit.left))),
                    "Give fewer lines at a time");
  }
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader = open_lines(path);
  std::vector<std::string> lines;
  double bytes = 0, checked = 0;
  for (std::string line; reader.next(line); lines.push_back(std::move(line))) {
    bytes += static_cast<double>(line.size() + sizeof line);
    if (bytes - checked < kPiece) continue;
    check_room(reader.name(), checked = bytes);
  }
  if (lines.empty()) throw UserError(reader.name(), "has no lines", "Give one sentence per line");
  if (reader.findings().byte_order_mark) to_stderr("plumb: {}: byte order mark removed\n", reader.name());
  if (reader.findings().carriage > 0) to_stderr("plumb: {}: Windows line ends removed\n", reader.name());
  return lines;
}

}  // namespace plumb
