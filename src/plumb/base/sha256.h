#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

/// SHA-256 (FIPS 180-4), for the checksums of a checkpoint and for naming a corpus by its content. Bytes may come in
/// pieces of any size.
class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  /// 64 hexadecimal digits of everything so far; more may be added afterwards.
  std::string hex_digest() const;

 private:
  void absorb(const std::byte* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};  // the start of the next block
  uint64_t length_ = 0;                  // bytes so far
};

std::string sha256_hex(std::string_view text);

/// Of a file's content, read in pieces. Throws UserError if there is no such file.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace plumb
