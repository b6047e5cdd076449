#include "plumb/base/checked_file.h"

#include <string>

#include <fmt/format.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/base/sha256.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

fs::path checksum_file(const fs::path& file) {
  return file.string() + ".sha256";
}

std::string checksum_line(const fs::path& file, const std::string& sum) {
  return fmt::format("{}  {}\n", sum, file.filename().string());
}

}  // namespace

void write_checked(const fs::path& file, std::string_view text) {
  write_whole(file, text);
  write_whole(checksum_file(file), checksum_line(file, sha256_hex(text)));
}

void add_checksum(const fs::path& file) {
  write_whole(checksum_file(file), checksum_line(file, sha256_of_file(file)));
}

bool is_intact(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored) || !fs::is_regular_file(checksum_file(file), ignored)) return false;
  try {
    return file_content(checksum_file(file)) == checksum_line(file, sha256_of_file(file));
  } catch (const Error&) {
    return false;  // what cannot be read is made again
  }
}

}  // namespace plumb
