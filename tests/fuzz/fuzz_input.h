#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"

/// What the targets share. A target calls its parser and catches plumb::Error, which is how a parser refuses. Anything
/// else that comes out is a finding: it would be an internal error, or worse.
namespace plumb::fuzz {

inline std::string_view as_text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Bytes as a file with a path, for parsers that open one.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    write_fully(file_, std::as_bytes(std::span(bytes)));
    ::lseek(file_.get(), 0, SEEK_SET);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }
  int fd() const { return file_.get(); }

 private:
  FileDescriptor file_;
};

/// A file of a folder that this process has to itself, written anew: for parsers that look at the folder, too.
inline std::filesystem::path written(const char* name, std::string_view bytes) {
  static const std::filesystem::path kFolder = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "plumb_fuzz_XXXXXX").string();
    return std::filesystem::path(::mkdtemp(folder.data()));
  }();
  static const struct Remover {
    ~Remover() { std::filesystem::remove_all(kFolder); }
  } kAtTheEnd;
  std::ofstream(kFolder / name, std::ios::binary) << bytes;
  return kFolder / name;
}

/// Parts that the byte 0xFF separates, exactly `count` of them; the last has what is left.
inline std::vector<std::string> in_parts(std::string_view bytes, size_t count) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < count) {
    const size_t end = std::min(bytes.find('\xFF'), bytes.size());
    parts.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  parts.emplace_back(bytes);
  return parts;
}

/// Calls the parser; what it refuses is not a finding.
template <class Parse>
int refusals_are_fine(const Parse& parse) {
  try {
    parse();
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace plumb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
