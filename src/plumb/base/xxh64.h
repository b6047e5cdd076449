#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

/// XXH64 (Yann Collet's xxHash, 64 bits, seed 0): a checksum that keeps up with memory, for bytes that are read anyway.
/// It finds damage, not forgery; Sha256 is for content that has to be known by its name. Bytes may come in pieces of
/// any size.
class Xxh64 {
 public:
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  /// 16 hexadecimal digits of everything so far; more may be added afterwards.
  std::string hex_digest() const;

 private:
  static constexpr size_t kStripe = 32;

  void absorb(const std::byte* stripes, size_t count);

  std::array<uint64_t, 4> lanes_ = {0x60ea27eeadc0b5d6, 0xc2b2ae3d27d4eb4f, 0, 0x61c8864e7a143579};
  std::array<std::byte, kStripe> pending_{};  // the start of the next stripe
  uint64_t length_ = 0;                       // bytes so far
};

std::string xxh64_hex(std::string_view text);

}  // namespace plumb
