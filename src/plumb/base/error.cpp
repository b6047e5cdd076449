#include "plumb/base/error.h"

namespace plumb {
namespace {

// A file name or a value quoted in a message may hold line breaks or terminal codes: one line stays one line.
std::string printable(std::string line) {
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return line;
}

}  // namespace

Error::Error(Exit exit, const std::string& where, const std::string& problem, const std::string& remedy)
    : std::runtime_error(printable(where + ": " + problem + ". " + remedy)), exit_(exit) {}

Error::Error(Exit exit, const std::string& line) : std::runtime_error(printable(line)), exit_(exit) {}

}  // namespace plumb
