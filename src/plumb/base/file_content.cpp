#include "plumb/base/file_content.h"

#include <fstream>
#include <iterator>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"

namespace plumb {

std::string file_content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<std::string> bounded_content(const std::filesystem::path& file, uint64_t most) {
  try {
    uint64_t size = 0;
    const FileDescriptor opened = open_to_read(file.string(), &size);
    if (size > most) return std::nullopt;
    std::string bytes(size, '\0');
    bytes.resize(read_at(opened, file.string(), std::as_writable_bytes(std::span(bytes)), 0));
    return bytes;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace plumb
