#include "plumb/cli/read_lines.h"

#include <utility>

#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/standard_files.h"
#include "plumb/base/to_stderr.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

LineReader open_lines(const std::string& path) {
  if (!path.empty()) return LineReader(path);
  FileDescriptor input = standard_input("Give the lines: < FILE");
  if (isatty(STDIN_FILENO)) to_stderr("plumb: reading lines from the terminal; Ctrl-D ends them\n");
  return LineReader(std::move(input), "stdin");
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader = open_lines(path);
  std::vector<std::string> lines = reader.rest();
  if (lines.empty()) throw UserError(reader.name(), "has no lines", "Give one sentence per line");
  if (reader.findings().byte_order_mark) to_stderr("plumb: {}: byte order mark removed\n", reader.name());
  if (reader.findings().carriage > 0) to_stderr("plumb: {}: Windows line ends removed\n", reader.name());
  return lines;
}

}  // namespace plumb
