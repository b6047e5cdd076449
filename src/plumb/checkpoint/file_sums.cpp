#include "plumb/checkpoint/file_sums.h"

#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/base/sha256.h"
#include "plumb/base/xxh64.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/runs/checkpoint_list.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

template <class See>
void see_all(const fs::path& file, const See& see) {
  const FileDescriptor opened = open_to_read(file.string());
  std::vector<std::byte> piece(1 << 18);
  for (uint64_t offset = 0;;) {
    const size_t got = read_at(opened, file.string(), piece, offset);
    see(std::span<const std::byte>(piece).first(got));
    offset += got;
    if (got < piece.size()) return;
  }
}

template <class Hash>
std::string hash_of(const fs::path& file) {
  Hash hash;
  see_all(file, [&](std::span<const std::byte> piece) { hash.update(piece); });
  return hash.hex_digest();
}

bool matches(const fs::path& file, const FileSums& recorded) {
  if (!recorded.xxh64.empty()) return hash_of<Xxh64>(file) == recorded.xxh64;
  return hash_of<Sha256>(file) == recorded.sha256;
}

[[noreturn]] void throw_damaged_file(const fs::path& file, const char* problem) {
  throw DamagedFile(file.string(), problem, "Use another checkpoint");
}

}  // namespace

FileSums sums_of_file(const fs::path& file) {
  Sha256 sha256;
  Xxh64 xxh64;
  see_all(file, [&](std::span<const std::byte> piece) {
    sha256.update(piece);
    xxh64.update(piece);
  });
  return {sha256.hex_digest(), xxh64.hex_digest()};
}

void check_file(const fs::path& file, const CheckpointState& state) {
  const auto recorded = state.files.find(file.filename().string());
  bool whole = false;
  try {
    whole = recorded != state.files.end() && matches(file, recorded->second);
  } catch (const UserError&) {  // it cannot be opened, or is a folder, a pipe, a device
    throw_damaged_file(file, "is missing or not a regular file");
  }
  if (!whole) throw_damaged_file(file, "does not match its checksum");
}

FileSums recorded_sums(const fs::path& file) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  const bool of_a_run =
      folder.parent_path().filename() == kCheckpointsFolder && update_named(folder.filename().string());
  if (!of_a_run && !fs::exists(folder / kStateFile, ignored)) return {};
  const CheckpointState state = read_checkpoint_state(file.parent_path());
  const auto recorded = state.files.find(file.filename().string());
  if (recorded != state.files.end()) return recorded->second;
  throw_damaged_file(file, "has no checksum in state.json");
}

}  // namespace plumb
