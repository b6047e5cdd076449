// Philox4x32-10 for a vector of counters, to be fused into kernels. Included once for each target, hence no pragma.

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "plumb/base/random_stream.h"
#include "plumb/kernel/philox.h"

#if defined(PLUMB_KERNEL_PHILOX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_PHILOX_INL_H
#undef PLUMB_KERNEL_PHILOX_INL_H
#else
#define PLUMB_KERNEL_PHILOX_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 0, 1, 2, ... in the lanes of a vector of 32 bits. Highway's Iota fills it lane by lane at run time.
template <class D32>
HWY_INLINE hn::Vec<D32> lane_numbers(D32 d32) {
  static constexpr auto kNumbers = [] {
    std::array<hn::TFromD<D32>, hn::MaxLanes(D32())> numbers{};
    std::iota(numbers.begin(), numbers.end(), hn::TFromD<D32>{0});
    return numbers;
  }();
  return hn::LoadU(d32, kNumbers.data());
}

/// One line of elements, (sample, position, lane) as keep_factors() names it.
struct KeepLine {
  uint32_t key0, key1, position, sample, lane, threshold;
  float scale;
};

HWY_INLINE KeepLine keep_line(const DropoutKey& key, uint64_t sample, uint32_t position, uint32_t lane) {
  const bool keeps_none = key.threshold >> 32 != 0;
  return {key.key0,
          key.key1 ^ static_cast<uint32_t>(sample >> 32),
          position,
          static_cast<uint32_t>(sample),
          lane,
          static_cast<uint32_t>(key.threshold),
          keeps_none ? 0.0F : key.scale};
}

#if HWY_TARGET == HWY_SCALAR  // has neither blocks nor interleaving

/// The factors of elements first .. first + 4 * Lanes(df) - 1 of the line; `first` is a multiple of 4.
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE void keep_four(DF df, const KeepLine& line, uint32_t first, VF& f0, VF& f1, VF& f2, VF& f3) {
  const PhiloxCounter words =
      philox4x32({first / 4, line.position, line.sample, line.lane}, PhiloxKey{line.key0, line.key1});
  f0 = hn::Set(df, words[0] < line.threshold ? 0.0F : line.scale);
  f1 = hn::Set(df, words[1] < line.threshold ? 0.0F : line.scale);
  f2 = hn::Set(df, words[2] < line.threshold ? 0.0F : line.scale);
  f3 = hn::Set(df, words[3] < line.threshold ? 0.0F : line.scale);
}

/// The factors of element 0, 1, 2 and 3 after `first`, a multiple of 4, in Lanes(df) lines: that of lane l is the line
/// whose position is l more.
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE void keep_lines(DF df, const KeepLine& line, uint32_t first, VF& f0, VF& f1, VF& f2, VF& f3) {
  keep_four(df, line, first, f0, f1, f2, f3);
}

#else

/// a ^ b in the float domain: the compiler does not see that it is the same xor, and leaves the key where it is. Its
/// own order makes every round one cycle longer.
template <class D32, class V>
HWY_INLINE V xor_apart(D32 /*d32*/, V a, V b) {
  const hn::RebindToFloat<D32> df;
  const hn::RepartitionToWide<D32> d64;
  return hn::BitCast(d64, hn::Xor(hn::BitCast(df, a), hn::BitCast(df, b)));
}

/// One round of two vectors of counters, the words c and e. Lanes have 64 bits, of which only the low half counts: the
/// high halves hold rubbish, which the 32 x 32 -> 64 bit product ignores, so a round needs neither masks nor shuffles.
/// Two at a time, because the rounds of one wait for each other.
template <class D32, class V>
HWY_INLINE void philox_round(D32 d32, uint32_t key0, uint32_t key1, V& c0, V& c1, V& c2, V& c3, V& e0, V& e1, V& e2,
                             V& e3) {
  const hn::RepartitionToWide<D32> d64;
  const auto m0 = hn::Set(d32, 0xD2511F53), m1 = hn::Set(d32, 0xCD9E8D57);
  const V k0 = hn::BitCast(d64, hn::Set(d32, key0)), k1 = hn::BitCast(d64, hn::Set(d32, key1));
  const V a = hn::MulEven(m0, hn::BitCast(d32, c0));
  const V b = hn::MulEven(m1, hn::BitCast(d32, c2));
  const V f = hn::MulEven(m0, hn::BitCast(d32, e0));
  const V g = hn::MulEven(m1, hn::BitCast(d32, e2));
  c0 = hn::Xor(hn::ShiftRight<32>(b), xor_apart(d32, c1, k0));
  c2 = hn::Xor(hn::ShiftRight<32>(a), xor_apart(d32, c3, k1));
  e0 = hn::Xor(hn::ShiftRight<32>(g), xor_apart(d32, e1, k0));
  e2 = hn::Xor(hn::ShiftRight<32>(f), xor_apart(d32, e3, k1));
  c1 = b;
  c3 = a;
  e1 = g;
  e3 = f;
}

template <class D32, class V>
HWY_INLINE void philox_rounds(D32 d32, uint32_t key0, uint32_t key1, V& c0, V& c1, V& c2, V& c3, V& e0, V& e1, V& e2,
                              V& e3) {
  constexpr uint32_t k0 = 0x9E3779B9, k1 = 0xBB67AE85;
  philox_round(d32, key0, key1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + k0, key1 + k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 2 * k0, key1 + 2 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 3 * k0, key1 + 3 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 4 * k0, key1 + 4 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 5 * k0, key1 + 5 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 6 * k0, key1 + 6 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 7 * k0, key1 + 7 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 8 * k0, key1 + 8 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
  philox_round(d32, key0 + 9 * k0, key1 + 9 * k1, c0, c1, c2, c3, e0, e1, e2, e3);
}

/// The words of one vector of counters as two vectors of factors.
template <class DF, class V64, class VF>
HWY_INLINE void compare_words(DF df, const KeepLine& line, V64 c0, V64 c1, V64 c2, V64 c3, VF& lower, VF& upper) {
  const hn::RebindToUnsigned<DF> d32;
  const hn::RepartitionToWide<decltype(d32)> d64;
  const auto words01 = hn::BitCast(d64, hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(c1)), hn::BitCast(d32, c0)));
  const auto words23 = hn::BitCast(d64, hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(c3)), hn::BitCast(d32, c2)));
  const auto low = hn::BitCast(d32, hn::InterleaveLower(d64, words01, words23));
  const auto high = hn::BitCast(d32, hn::InterleaveUpper(d64, words01, words23));
  const auto threshold = hn::Set(d32, line.threshold);
  const auto scale = hn::Set(df, line.scale);
  lower = hn::IfThenZeroElse(hn::RebindMask(df, hn::Lt(low, threshold)), scale);
  upper = hn::IfThenZeroElse(hn::RebindMask(df, hn::Lt(high, threshold)), scale);
}

/// The factors of elements first .. first + 4 * Lanes(df) - 1 of the line; `first` is a multiple of 4.
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE void keep_four(DF df, const KeepLine& line, uint32_t first, VF& f0, VF& f1, VF& f2, VF& f3) {
  const hn::RebindToUnsigned<DF> d32;
  const hn::RepartitionToWide<decltype(d32)> d64;
  // The counters in the order 0, n/2, 1, n/2 + 1, ... of the n lanes: then two interleaves, which work inside blocks of
  // two lanes, put every element in its place.
  const auto lane = hn::Iota(d64, 0), one = hn::Set(d64, 1), lanes = hn::Set(d64, hn::Lanes(d64));
  const auto odd = hn::Eq(hn::And(lane, one), one);
  const auto order = hn::Add(hn::ShiftRight<1>(lane), hn::IfThenElseZero(odd, hn::ShiftRight<1>(lanes)));
  auto c0 = hn::Add(hn::Set(d64, first / 4), order);
  auto e0 = hn::Add(c0, lanes);
  auto c1 = hn::Set(d64, line.position), c2 = hn::Set(d64, line.sample), c3 = hn::Set(d64, line.lane);
  auto e1 = c1, e2 = c2, e3 = c3;
  philox_rounds(d32, line.key0, line.key1, c0, c1, c2, c3, e0, e1, e2, e3);
  compare_words(df, line, c0, c1, c2, c3, f0, f1);
  compare_words(df, line, e0, e1, e2, e3, f2, f3);
}

/// One word of the even and of the odd lines as a vector of factors.
template <class DF, class V64>
HWY_INLINE hn::Vec<DF> compare_word(DF df, const KeepLine& line, V64 even, V64 odd) {
  const hn::RebindToUnsigned<DF> d32;
  const auto words = hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(odd)), hn::BitCast(d32, even));
  return hn::IfThenZeroElse(hn::RebindMask(df, hn::Lt(words, hn::Set(d32, line.threshold))), hn::Set(df, line.scale));
}

/// The factors of element 0, 1, 2 and 3 after `first`, a multiple of 4, in Lanes(df) lines: that of lane l is the line
/// whose position is l more.
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE void keep_lines(DF df, const KeepLine& line, uint32_t first, VF& f0, VF& f1, VF& f2, VF& f3) {
  const hn::RebindToUnsigned<DF> d32;
  const hn::RepartitionToWide<decltype(d32)> d64;
  const auto position = hn::BitCast(d64, hn::Add(lane_numbers(d32), hn::Set(d32, line.position)));
  auto c1 = position, e1 = hn::ShiftRight<32>(position);  // even and odd lines
  auto c0 = hn::Set(d64, first / 4), c2 = hn::Set(d64, line.sample), c3 = hn::Set(d64, line.lane);
  auto e0 = c0, e2 = c2, e3 = c3;
  philox_rounds(d32, line.key0, line.key1, c0, c1, c2, c3, e0, e1, e2, e3);
  f0 = compare_word(df, line, c0, e0);
  f1 = compare_word(df, line, c1, e1);
  f2 = compare_word(df, line, c2, e2);
  f3 = compare_word(df, line, c3, e3);
}

#endif

/// The factors of elements 0 .. n - 1 into `factors`, which has room for n rounded up to 4 * Lanes(df). No alignment.
template <class DF>
HWY_INLINE void fill_keep_padded(DF df, const KeepLine& line, float* HWY_RESTRICT factors, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  for (int64_t i = 0; i < n; i += 4 * lanes) {
    hn::Vec<DF> f0, f1, f2, f3;
    keep_four(df, line, static_cast<uint32_t>(i), f0, f1, f2, f3);
    hn::StoreU(f0, df, factors + i);
    hn::StoreU(f1, df, factors + i + lanes);
    hn::StoreU(f2, df, factors + i + 2 * lanes);
    hn::StoreU(f3, df, factors + i + 3 * lanes);
  }
}

/// The same, and nothing is written beyond element n - 1.
template <class DF>
HWY_INLINE void fill_keep(DF df, const KeepLine& line, float* HWY_RESTRICT factors, int64_t n) {
  const int64_t whole = n - n % static_cast<int64_t>(4 * hn::Lanes(df));
  fill_keep_padded(df, line, factors, whole);
  if (whole == n) return;
  hn::Vec<DF> f0, f1, f2, f3;
  keep_four(df, line, static_cast<uint32_t>(whole), f0, f1, f2, f3);
  HWY_ALIGN float rest[4 * hn::MaxLanes(df)];
  hn::Store(f0, df, rest);
  hn::Store(f1, df, rest + hn::Lanes(df));
  hn::Store(f2, df, rest + 2 * hn::Lanes(df));
  hn::Store(f3, df, rest + 3 * hn::Lanes(df));
  std::memcpy(factors + whole, rest, static_cast<size_t>(n - whole) * sizeof(float));
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_PHILOX_INL_H
