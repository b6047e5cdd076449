#include "plumb/base/sha256.h"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/file_descriptor.h"

namespace plumb {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t big_endian(const std::byte* p) {
  return std::to_integer<uint32_t>(p[0]) << 24 | std::to_integer<uint32_t>(p[1]) << 16 |
         std::to_integer<uint32_t>(p[2]) << 8 | std::to_integer<uint32_t>(p[3]);
}

}  // namespace

// The letters are those of FIPS 180-4, section 6.2.2.
void Sha256::absorb(const std::byte* block) {
  using std::rotr;
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::update(std::span<const std::byte> bytes) {
  size_t held = length_ % 64;
  length_ += bytes.size();
  if (held != 0) {  // fill the block that was started
    const size_t taken = std::min(64 - held, bytes.size());
    std::ranges::copy(bytes.first(taken), pending_.begin() + static_cast<ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < 64) return;
    absorb(pending_.data());
  }
  for (; bytes.size() >= 64; bytes = bytes.subspan(64)) absorb(bytes.data());
  std::ranges::copy(bytes, pending_.begin());
}

std::string Sha256::hex_digest() const {
  Sha256 last = *this;  // the padding must not enter the stream that goes on
  const uint64_t bits = length_ * 8;
  std::array<std::byte, 72> padding{std::byte{0x80}};
  const size_t zeros_end = 1 + (119 - length_ % 64) % 64;  // up to 8 bytes before the end of a block
  for (size_t i = 0; i < 8; ++i) padding[zeros_end + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  last.update(std::span(padding).first(zeros_end + 8));
  std::string hex;
  for (const uint32_t word : last.state_) hex += fmt::format("{:08x}", word);
  return hex;
}

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex_digest();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const FileDescriptor file = open_to_read(path.string());
  Sha256 hash;
  std::vector<std::byte> piece(1 << 18);
  for (uint64_t offset = 0;;) {
    const size_t got = read_at(file, path.string(), piece, offset);
    hash.update(std::span(piece).first(got));
    offset += got;
    if (got < piece.size()) return hash.hex_digest();
  }
}

}  // namespace plumb
