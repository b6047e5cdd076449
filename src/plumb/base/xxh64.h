#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH64_state_s;

namespace plumb {

/// XXH64 of libxxhash, seed 0: a checksum that keeps up with memory, for bytes that are read anyway. It finds damage,
/// not forgery; Sha256 is for content that has to be known by its name. Bytes may come in pieces of any size.
class Xxh64 {
 public:
  Xxh64();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  /// 16 hexadecimal digits of everything so far; more may be added afterwards.
  std::string hex_digest() const;

 private:
  struct Free {
    void operator()(XXH64_state_s* state) const;
  };
  std::unique_ptr<XXH64_state_s, Free> state_;
};

std::string xxh64_hex(std::string_view text);

}  // namespace plumb
