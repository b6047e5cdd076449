#include "plumb/base/xxh64.h"

#include <new>

#include <fmt/format.h>
#include <xxhash.h>

namespace plumb {

Xxh64::Xxh64() : state_(XXH64_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH64_reset(state_.get(), /*seed=*/0);
}

void Xxh64::Free::operator()(XXH64_state_s* state) const {
  XXH64_freeState(state);
}

void Xxh64::update(std::span<const std::byte> bytes) {
  XXH64_update(state_.get(), bytes.data(), bytes.size());
}

std::string Xxh64::hex_digest() const {
  return fmt::format("{:016x}", XXH64_digest(state_.get()));
}

std::string xxh64_hex(std::string_view text) {
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), /*seed=*/0));
}

}  // namespace plumb
