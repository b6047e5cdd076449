#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): 128 random bits as a pure
/// function of counter and key. Inline, because kernels call it per element: with no state to carry along, the
/// numbers do not depend on the number of threads or on the order of the loop.
constexpr PhiloxCounter philox4x32(PhiloxCounter c, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;  // Weyl sequence: golden ratio, sqrt(3) - 1
    key[1] += 0xBB67AE85;
  }
  return c;
}

/// Spreads every bit over the whole word, one to one: neighbouring numbers become unrelated ones.
constexpr uint64_t splitmix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Random numbers that belong to one purpose ("dropout", "init", "shuffle"). A stream is fixed by the seed and its
/// name alone, so drawing more from one never shifts another, and its whole state is one counter: a run that stores
/// the counter resumes exactly.
class RandomStream {
 public:
  /// `counter` is the number of 64-bit words drawn so far.
  struct State {
    uint64_t counter = 0;
    bool operator==(const State&) const = default;
  };

  RandomStream(uint64_t seed, std::string_view name);

  uint64_t bits();
  double uniform();                // [0, 1), 53 bits
  double normal();                 // mean 0, deviation 1; takes two words
  uint64_t below(uint64_t limit);  // 0 .. limit - 1, each exactly as likely

  State state() const { return state_; }
  void set_state(State state);

  /// For kernels that lay out their own counters; give them a stream of their own name.
  PhiloxKey key() const { return key_; }

 private:
  PhiloxKey key_;
  State state_;
  PhiloxCounter block_{};  // the two words around the counter; one Philox call serves both
};

}  // namespace plumb
