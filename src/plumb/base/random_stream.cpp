#include "plumb/base/random_stream.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace plumb {
namespace {

uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// FNV alone leaves similar names with similar hashes: splitmix64 spreads them.

// One to one in the seed for a given name, so two seeds can never share a stream.
PhiloxKey derive_key(uint64_t seed, std::string_view name) {
  const uint64_t key = splitmix64(splitmix64(seed) ^ fnv1a(name));
  return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
}

PhiloxCounter block_at(uint64_t counter, PhiloxKey key) {
  const uint64_t block = counter / 2;
  return philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0}, key);
}

}  // namespace

RandomStream::RandomStream(uint64_t seed, std::string_view name) : key_(derive_key(seed, name)) {}

void RandomStream::set_state(State state) {
  state_ = state;
  block_ = block_at(state.counter, key_);
}

uint64_t RandomStream::bits() {
  const bool second = state_.counter % 2 != 0;
  if (!second) block_ = block_at(state_.counter, key_);
  ++state_.counter;
  const size_t low = second ? 2 : 0;
  return uint64_t{block_[low + 1]} << 32 | block_[low];
}

double RandomStream::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

// Box-Muller. The sine partner is thrown away: keeping it would make the state more than a counter.
double RandomStream::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u is in (0, 1]: the logarithm is finite
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

uint64_t RandomStream::below(uint64_t limit) {
  if (limit == 0) throw std::logic_error("RandomStream::below(0): there is no number below 0");
  // 2^64 is rarely a multiple of `limit`; the lowest 2^64 mod limit words would make small results likelier.
  const uint64_t uneven = (0 - limit) % limit;
  uint64_t word = bits();
  while (word < uneven) word = bits();
  return word % limit;
}

}  // namespace plumb
