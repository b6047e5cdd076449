#include "plumb/base/xxh64.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace plumb {
namespace {

static_assert(std::endian::native == std::endian::little, "words of the stream are little-endian");

constexpr uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f, kPrime3 = 0x165667b19e3779f9,
                   kPrime4 = 0x85ebca77c2b2ae63, kPrime5 = 0x27d4eb2f165667c5;

template <class Word>
uint64_t word_at(const std::byte* p) {
  Word word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

uint64_t lane_round(uint64_t lane, uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

// The bytes behind the last whole stripe, and a last mixing of all bits.
uint64_t finish(uint64_t hash, std::span<const std::byte> rest) {
  for (; rest.size() >= 8; rest = rest.subspan(8)) {
    hash = std::rotl(hash ^ lane_round(0, word_at<uint64_t>(rest.data())), 27) * kPrime1 + kPrime4;
  }
  if (rest.size() >= 4) {
    hash = std::rotl(hash ^ word_at<uint32_t>(rest.data()) * kPrime1, 23) * kPrime2 + kPrime3;
    rest = rest.subspan(4);
  }
  for (const std::byte one : rest) hash = std::rotl(hash ^ std::to_integer<uint64_t>(one) * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace

// Four sums that do not wait for each other: that is where its speed comes from.
void Xxh64::absorb(const std::byte* stripes, size_t count) {
  auto [a, b, c, d] = lanes_;
  for (size_t i = 0; i < count; ++i, stripes += kStripe) {
    a = lane_round(a, word_at<uint64_t>(stripes));
    b = lane_round(b, word_at<uint64_t>(stripes + 8));
    c = lane_round(c, word_at<uint64_t>(stripes + 16));
    d = lane_round(d, word_at<uint64_t>(stripes + 24));
  }
  lanes_ = {a, b, c, d};
}

void Xxh64::update(std::span<const std::byte> bytes) {
  const size_t held = length_ % kStripe;
  length_ += bytes.size();
  if (held != 0) {  // fill the stripe that was started
    const size_t taken = std::min(kStripe - held, bytes.size());
    std::ranges::copy(bytes.first(taken), pending_.begin() + static_cast<ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < kStripe) return;
    absorb(pending_.data(), 1);
  }
  absorb(bytes.data(), bytes.size() / kStripe);
  std::ranges::copy(bytes.last(bytes.size() % kStripe), pending_.begin());
}

std::string Xxh64::hex_digest() const {
  uint64_t hash = kPrime5;
  if (length_ >= kStripe) {
    const auto& [a, b, c, d] = lanes_;
    hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    for (const uint64_t lane : lanes_) hash = (hash ^ lane_round(0, lane)) * kPrime1 + kPrime4;
  }
  return fmt::format("{:016x}", finish(hash + length_, std::span(pending_).first(length_ % kStripe)));
}

std::string xxh64_hex(std::string_view text) {
  Xxh64 hash;
  hash.update(text);
  return hash.hex_digest();
}

}  // namespace plumb
