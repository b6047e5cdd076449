// One row of floats as whole vectors and a rest, for kernels that sweep over rows. Included once for each target, hence
// no pragma.
//
// The rest goes through the same vector instructions as the whole vectors, so an element's bits do not depend on where
// it stands; and it goes through a copy, because a masked load of some targets reads beyond the end.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "plumb/kernel/philox.h"
#include "plumb/kernel/row_names.h"

#if defined(PLUMB_KERNEL_ROW_SWEEP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_ROW_SWEEP_INL_H
#undef PLUMB_KERNEL_ROW_SWEEP_INL_H
#else
#define PLUMB_KERNEL_ROW_SWEEP_INL_H
#endif

#include <hwy/highway.h>

#include "plumb/kernel/philox-inl.h"
#include "plumb/kernel/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// p + i, or null.
template <class T>
HWY_INLINE T* element(T* p, int64_t i) {
  return p ? p + i : nullptr;
}

/// A whole vector of a row.
struct Whole {
  HWY_INLINE Vector load(const float* p) const { return hn::LoadU(Tag(), p); }
  HWY_INLINE void store(Vector v, float* p) const { hn::StoreU(v, Tag(), p); }
  HWY_INLINE Vector only(Vector v) const { return v; }
};

/// The last `count` elements of a row, fewer than a vector has. The lanes beyond them are loaded as zero and never
/// stored; only() makes them zero again, for sums over what was not zero at zero.
struct Rest {
  int64_t count;

  HWY_INLINE Vector load(const float* p) const {
    HWY_ALIGN float lanes[hn::MaxLanes(Tag())] = {};
    std::memcpy(lanes, p, static_cast<size_t>(count) * sizeof(float));
    return hn::Load(Tag(), lanes);
  }
  HWY_INLINE void store(Vector v, float* p) const {
    HWY_ALIGN float lanes[hn::MaxLanes(Tag())];
    hn::Store(v, Tag(), lanes);
    std::memcpy(p, lanes, static_cast<size_t>(count) * sizeof(float));
  }
  HWY_INLINE Vector only(Vector v) const {
    return hn::IfThenElseZero(hn::FirstN(Tag(), static_cast<size_t>(count)), v);
  }
};

/// p[0 ..] += v.
template <class Part>
HWY_INLINE void add_to(Part part, float* p, Vector v) {
  part.store(hn::Add(part.load(p), v), p);
}

/// body(part, i) for every vector of a row of n elements.
template <class Body>
HWY_INLINE void sweep(int64_t n, Body&& body) {
  const int64_t lanes = vector_lanes();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(Whole(), i);
  if (i < n) body(Rest{n - i}, i);
}

/// body(part, i, sum) adds to the vector `sum`; the total of all lanes. Four sums, because an addition waits for the
/// one before it.
template <class Body>
HWY_INLINE float sum_over(int64_t n, Body&& body) {
  const Tag d;
  const int64_t lanes = vector_lanes();
  Vector s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    body(Whole(), i, s0);
    body(Whole(), i + lanes, s1);
    body(Whole(), i + 2 * lanes, s2);
    body(Whole(), i + 3 * lanes, s3);
  }
  for (; i + lanes <= n; i += lanes) body(Whole(), i, s0);
  if (i < n) body(Rest{n - i}, i, s1);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

/// The same with two sums: body(part, i, a, b).
template <class Body>
HWY_INLINE void sums_over(int64_t n, float& a, float& b, Body&& body) {
  const Tag d;
  const int64_t lanes = vector_lanes();
  Vector a0 = hn::Zero(d), a1 = hn::Zero(d), a2 = hn::Zero(d), a3 = hn::Zero(d);
  Vector b0 = hn::Zero(d), b1 = hn::Zero(d), b2 = hn::Zero(d), b3 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    body(Whole(), i, a0, b0);
    body(Whole(), i + lanes, a1, b1);
    body(Whole(), i + 2 * lanes, a2, b2);
    body(Whole(), i + 3 * lanes, a3, b3);
  }
  for (; i + lanes <= n; i += lanes) body(Whole(), i, a0, b0);
  if (i < n) body(Rest{n - i}, i, a1, b1);
  a = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a0, a1), hn::Add(a2, a3))));
  b = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(b0, b1), hn::Add(b2, b3))));
}

/// body(part, i, keep) for every vector of a row, `keep` being its factors of dropout; ones if `key` is null. The
/// factors, which are made for four vectors at once, wait in memory: four copies of the body instead would save 4 % of
/// the time, but it then takes minutes to compile them with the sanitizers.
template <class Body>
HWY_INLINE void sweep_kept(const DropoutKey* key, const RowNames& names, int64_t row, int64_t n, Body&& body) {
  const Tag d;
  if (key == nullptr) {
    const Vector one = hn::Set(d, 1.0F);
    sweep(n, [&](auto part, int64_t i) { body(part, i, one); });
    return;
  }
  const KeepLine line =
      keep_line(*key, static_cast<uint64_t>(names.sample[row]), static_cast<uint32_t>(names.position[row]), 0);
  const int64_t lanes = vector_lanes();
  HWY_ALIGN float factors[4 * hn::MaxLanes(Tag())];
  for (int64_t first = 0; first < n; first += 4 * lanes) {
    Vector k0, k1, k2, k3;
    keep_four(d, line, static_cast<uint32_t>(first), k0, k1, k2, k3);
    hn::Store(k0, d, factors);
    hn::Store(k1, d, factors + lanes);
    hn::Store(k2, d, factors + 2 * lanes);
    hn::Store(k3, d, factors + 3 * lanes);
    sweep(std::min(4 * lanes, n - first),
          [&](auto part, int64_t i) { body(part, first + i, hn::Load(d, factors + i)); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_ROW_SWEEP_INL_H
