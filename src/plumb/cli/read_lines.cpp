#include "plumb/cli/read_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

LineReader open_lines(const std::string& path) {
  if (!path.empty()) return LineReader(path);
  if (isatty(STDIN_FILENO)) fmt::print(stderr, "plumb: reading lines from the terminal; Ctrl-D ends them\n");
  return LineReader(FileDescriptor(dup(STDIN_FILENO)), "stdin");
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader = open_lines(path);
  std::vector<std::string> lines = reader.rest();
  if (lines.empty()) throw UserError(reader.name(), "has no lines", "Give one sentence per line");
  if (reader.findings().byte_order_mark) fmt::print(stderr, "plumb: {}: byte order mark removed\n", reader.name());
  if (reader.findings().carriage > 0) fmt::print(stderr, "plumb: {}: Windows line ends removed\n", reader.name());
  return lines;
}

}  // namespace plumb
