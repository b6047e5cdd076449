#include "plumb/kernel/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/cross_entropy.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/exp-inl.h"
#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

/// How the mass of a target is spread: `target` on the word itself and `each` on every word, itself too.
struct Spread {
  double target, each;
};

HWY_INLINE Spread spread(const CrossEntropyTerms& terms) {
  if (terms.eps == 0) return {1, 0};
  const auto words = static_cast<double>(terms.words);
  if (terms.over == SmoothingOver::All) return {1 - terms.eps, terms.eps / words};
  const double each = terms.eps / (words - 1);
  return {1 - terms.eps - each, each};
}

/// The largest of a row. What becomes of a NaN does not matter here: it comes back in the sum.
HWY_INLINE float largest(const float* x, int64_t n) {
  const Tag d;
  const int64_t lanes = vector_lanes();
  const Vector lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  Vector m0 = lowest, m1 = lowest, m2 = lowest, m3 = lowest;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    m0 = hn::Max(m0, hn::LoadU(d, x + i));
    m1 = hn::Max(m1, hn::LoadU(d, x + i + lanes));
    m2 = hn::Max(m2, hn::LoadU(d, x + i + 2 * lanes));
    m3 = hn::Max(m3, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) m0 = hn::Max(m0, hn::LoadU(d, x + i));
  float most = hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
  for (; i < n; ++i) most = std::max(most, x[i]);
  return most;
}

/// Sums over a row: of e^(x - largest), which go to `powers` if that is wanted, and of the x themselves.
struct RowSums {
  double powers = 0, logits = 0;
};

template <bool kKeepsPowers>
HWY_INLINE RowSums sum_powers(const float* x, int64_t n, float largest, float* powers) {
  const Tag d;
  const Vector most = hn::Set(d, largest);
  RowSums sums;
  constexpr int64_t kBlock = 2048;  // a float sum of a whole vocabulary would lose a digit
  for (int64_t first = 0; first < n; first += kBlock) {
    float of_powers, of_logits;
    sums_over(std::min(kBlock, n - first), of_powers, of_logits, [&](auto part, int64_t i, Vector& p, Vector& l) {
      const Vector v = part.load(x + first + i), power = exp_negative(d, hn::Sub(v, most));
      if constexpr (kKeepsPowers) part.store(power, powers + first + i);
      p = hn::Add(p, part.only(power));
      l = hn::Add(l, v);
    });
    sums.powers += static_cast<double>(of_powers);
    sums.logits += static_cast<double>(of_logits);
  }
  return sums;
}

/// Writes the losses of a row.
HWY_INLINE void keep_losses(const CrossEntropyTerms& terms, int64_t row, float target, float most, RowSums sums) {
  const double log_sum = static_cast<double>(most) + std::log(sums.powers);
  const double nll = log_sum - static_cast<double>(target);
  if (terms.nll) terms.nll[row] = nll;
  if (!terms.smoothed) return;
  const Spread q = spread(terms);
  const double all = static_cast<double>(terms.words) * log_sum - sums.logits;  // sum of -log p over the words
  terms.smoothed[row] = terms.eps == 0 ? nll : q.target * nll + q.each * all;   // 0 * infinity is not 0
}

}  // namespace

HWY_FLATTEN void cross_entropy_losses_target(const CrossEntropyTerms& terms, const float* logits, int64_t begin,
                                             int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const float* x = logits + row * terms.words;
    const float most = largest(x, terms.words);
    keep_losses(terms, row, x[terms.targets[row]], most, sum_powers<false>(x, terms.words, most, nullptr));
  }
}

HWY_FLATTEN void cross_entropy_gradient_target(const CrossEntropyTerms& terms, float* logits, float scale,
                                               int64_t begin, int64_t end) {
  const Tag d;
  const Spread q = spread(terms);
  const auto factor = static_cast<double>(scale);
  const Vector each = hn::Set(d, static_cast<float>(q.each * factor));
  for (int64_t row = begin; row < end; ++row) {
    float* x = logits + row * terms.words;
    float* target = x + terms.targets[row];
    const float of_target = *target, most = largest(x, terms.words);
    const RowSums sums = sum_powers<true>(x, terms.words, most, x);
    keep_losses(terms, row, of_target, most, sums);
    const Vector share = hn::Set(d, static_cast<float>(factor / sums.powers));
    const float power = *target;
    sweep(terms.words, [&](auto part, int64_t i) { part.store(hn::MulSub(part.load(x + i), share, each), x + i); });
    *target = static_cast<float>(factor * (static_cast<double>(power) / sums.powers - q.each - q.target));
  }
}

HWY_FLATTEN void cross_entropy_tangent_target(const CrossEntropyTerms& terms, float* logits, float* dot_logits,
                                              double* dot_smoothed, int64_t begin, int64_t end) {
  const Tag d;
  for (int64_t row = begin; row < end; ++row) {
    float *const slopes = logits + row * terms.words, *const dots = dot_logits + row * terms.words;
    cross_entropy_gradient_target(terms, logits, /*scale=*/1, row, row + 1);
    const Spread q = spread(terms);
    const int64_t target = terms.targets[row];
    double with_slope = 0, sum = 0;
    constexpr int64_t kBlock = 2048;
    for (int64_t first = 0; first < terms.words; first += kBlock) {
      float of_slopes, of_dots;
      sums_over(std::min(kBlock, terms.words - first), of_slopes, of_dots,
                [&](auto part, int64_t i, Vector& s, Vector& t) {
                  const Vector dot = part.load(dots + first + i);
                  s = hn::MulAdd(part.load(slopes + first + i), dot, s);
                  t = hn::Add(t, dot);
                });
      with_slope += static_cast<double>(of_slopes);
      sum += static_cast<double>(of_dots);
    }
    dot_smoothed[row] = with_slope;
    const auto of_target = static_cast<double>(dots[target]);
    // p is the slope and q again.
    const auto mean = static_cast<float>(with_slope + q.each * sum + q.target * of_target);
    const float p_of_target = slopes[target] + static_cast<float>(q.each + q.target);
    const Vector centre = hn::Set(d, mean), each = hn::Set(d, static_cast<float>(q.each));
    sweep(terms.words, [&](auto part, int64_t i) {
      const Vector p = hn::Add(part.load(slopes + i), each);
      part.store(hn::Mul(p, hn::Sub(part.load(dots + i), centre)), dots + i);
    });
    dots[target] = p_of_target * (static_cast<float>(of_target) - mean);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(cross_entropy_losses_target);
HWY_EXPORT(cross_entropy_gradient_target);
HWY_EXPORT(cross_entropy_tangent_target);

void cross_entropy_losses(const CrossEntropyTerms& terms, const float* logits, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_losses_target)(terms, logits, begin, end);
}

void cross_entropy_gradient(const CrossEntropyTerms& terms, float* logits, float scale, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_gradient_target)(terms, logits, scale, begin, end);
}

void cross_entropy_tangent(const CrossEntropyTerms& terms, float* logits, float* dot_logits, double* dot_smoothed,
                           int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_tangent_target)(terms, logits, dot_logits, dot_smoothed, begin, end);
}

}  // namespace plumb::kernel
#endif
