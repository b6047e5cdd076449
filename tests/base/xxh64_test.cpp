#include "plumb/base/xxh64.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

// Published values of the reference implementation and of its Python binding.
TEST(Xxh64, IsThatOfTheReferenceImplementation) {
  EXPECT_EQ(xxh64_hex(""), "ef46db3751d8e999");
  EXPECT_EQ(xxh64_hex("a"), "d24ec4f1a98c6e5b");
  EXPECT_EQ(xxh64_hex("abc"), "44bc2cf5ad770999");
  EXPECT_EQ(xxh64_hex("Nobody inspects the spammish repetition"), "fbcea83c8a378bf1");
}

TEST(Xxh64, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 37);
  for (size_t length = 0; length <= text.size(); ++length) {
    const std::string_view whole = std::string_view(text).substr(0, length);
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{32}, size_t{33}}) {
      Xxh64 hash;
      for (size_t at = 0; at < length; at += piece) hash.update(whole.substr(at, piece));
      EXPECT_EQ(hash.hex_digest(), xxh64_hex(whole)) << length << ' ' << piece;
      EXPECT_EQ(hash.hex_digest(), hash.hex_digest());
    }
  }
}

TEST(Xxh64, SeesEveryBit) {
  const std::string text(1000, 'x');
  const std::string before = xxh64_hex(text);
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      EXPECT_NE(xxh64_hex(other), before) << i << ' ' << bit;
    }
  }
}

}  // namespace
}  // namespace plumb
