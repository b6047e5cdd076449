#include "plumb/kernel/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "plumb/base/random_stream.h"

namespace plumb::kernel {
namespace {

using Doubles = std::vector<double>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kUntouched = 12345;

constexpr AttentionDropout kDropout{
    .key = {.key0 = 0x243F6A88, .key1 = 0x85A308D3, .threshold = 1288490188, .scale = 1 / 0.7F},
    .sample = 0xFEDCBA9876543210,
    .head = 3};

struct AttentionCase {
  int64_t T, S, K;
  bool causal = false, dropout = false;

  double scale() const { return 1 / std::sqrt(static_cast<double>(K)); }
};

std::string name_of(const AttentionCase& x) {
  return std::to_string(x.T) + " queries, " + std::to_string(x.S) + " keys, width " + std::to_string(x.K) +
         (x.causal ? ", causal" : "") + (x.dropout ? ", dropout" : "");
}

/// Numbers in [-2, 2) that a float holds exactly.
Doubles numbers(int64_t n, uint32_t seed) {
  Doubles x(static_cast<size_t>(n));
  for (double& value : x) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<double>(seed >> 8) / 4194304.0 - 2;
  }
  return x;
}

// ---- the oracle: the equations, in double, one number after the other ----

struct Inputs {
  Doubles q, k, v, dy;

  explicit Inputs(const AttentionCase& x)
      : q(numbers(x.T * x.K, 1)), k(numbers(x.S * x.K, 2)), v(numbers(x.S * x.K, 3)), dy(numbers(x.T * x.K, 4)) {}
};

double factor(const AttentionCase& x, int64_t t, int64_t s) {
  if (!x.dropout) return 1;
  const PhiloxCounter words = philox4x32(
      {static_cast<uint32_t>(s / 4), static_cast<uint32_t>(t), static_cast<uint32_t>(kDropout.sample), kDropout.head},
      {kDropout.key.key0, kDropout.key.key1 ^ static_cast<uint32_t>(kDropout.sample >> 32)});
  return words[s % 4] < kDropout.key.threshold ? 0 : double{kDropout.key.scale};
}

double dot(const Doubles& a, int64_t i, const Doubles& b, int64_t j, int64_t width) {
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) sum += a[i * width + c] * b[j * width + c];
  return sum;
}

struct Forward {
  Doubles weights, y, lse;  // [T, S], [T, K], [T]
};

Forward oracle_forward(const AttentionCase& x, const Inputs& in) {
  Forward out{Doubles(x.T * x.S), Doubles(x.T * x.K), Doubles(x.T)};
  for (int64_t t = 0; t < x.T; ++t) {
    const int64_t seen = x.causal ? std::min(x.S, t + 1) : x.S;
    double sum = 0;
    for (int64_t s = 0; s < seen; ++s) sum += std::exp(x.scale() * dot(in.q, t, in.k, s, x.K));
    out.lse[t] = std::log(sum);
    for (int64_t s = 0; s < seen; ++s) {
      const double weight = std::exp(x.scale() * dot(in.q, t, in.k, s, x.K) - out.lse[t]);
      out.weights[t * x.S + s] = weight;
      for (int64_t c = 0; c < x.K; ++c) out.y[t * x.K + c] += weight * factor(x, t, s) * in.v[s * x.K + c];
    }
  }
  return out;
}

struct Gradients {
  Doubles q, k, v;
};

/// Through the full Jacobian of the softmax, dP_ts / dx_tr = P_ts (1 if s = r) - P_ts P_tr.
Gradients oracle_backward(const AttentionCase& x, const Inputs& in, const Forward& forward) {
  Gradients g{Doubles(x.T * x.K), Doubles(x.S * x.K), Doubles(x.S * x.K)};
  for (int64_t t = 0; t < x.T; ++t) {
    const double* const weight = forward.weights.data() + t * x.S;
    Doubles dweight(x.S);
    double mean = 0;
    for (int64_t s = 0; s < x.S; ++s) {
      dweight[s] = factor(x, t, s) * dot(in.dy, t, in.v, s, x.K);
      mean += weight[s] * dweight[s];
    }
    for (int64_t s = 0; s < x.S; ++s) {
      const double dscore = x.scale() * weight[s] * (dweight[s] - mean);
      for (int64_t c = 0; c < x.K; ++c) {
        g.v[s * x.K + c] += weight[s] * factor(x, t, s) * in.dy[t * x.K + c];
        g.q[t * x.K + c] += dscore * in.k[s * x.K + c];
        g.k[s * x.K + c] += dscore * in.q[t * x.K + c];
      }
    }
  }
  return g;
}

/// d (sum of dy y) / d values[i] for every i, by central differences of the oracle.
Doubles finite_differences(const AttentionCase& x, const Inputs& in, Doubles Inputs::*values) {
  const auto loss = [&](int64_t i, double step) {
    Inputs moved = in;
    (moved.*values)[i] += step;
    const Doubles y = oracle_forward(x, moved).y;
    double sum = 0;
    for (size_t j = 0; j < y.size(); ++j) sum += y[j] * in.dy[j];
    return sum;
  };
  Doubles slopes;
  for (int64_t i = 0; i < std::ssize(in.*values); ++i) slopes.push_back((loss(i, 1e-5) - loss(i, -1e-5)) / 2e-5);
  return slopes;
}

// ---- running the kernel ----

/// Rows that lie further apart than they are wide. Ends with the last element, so that the sanitizer sees a step
/// beyond.
class Strided {
 public:
  Strided(int64_t rows, int64_t width, int64_t stride, float between)
      : width_(width), stride_(stride), between_(between), data_((rows - 1) * stride + width, between) {}

  Strided(const Doubles& values, int64_t width, int64_t stride)
      : Strided(std::ssize(values) / width, width, stride, kNaN) {
    for (int64_t i = 0; i < std::ssize(values); ++i) data_[at(i)] = static_cast<float>(values[i]);
  }

  HeadRows rows() const { return {data_.data(), stride_}; }
  MutableHeadRows rows() { return {data_.data(), stride_}; }
  float& operator[](int64_t i) { return data_[at(i)]; }
  float operator[](int64_t i) const { return data_[at(i)]; }

  /// The largest difference, as a share of the largest number expected or of `least`, since what should vanish is a sum
  /// of larger numbers; infinite if something is not a number.
  double error(const Doubles& expected, double least) const {
    double most = least, error = 0;
    for (int64_t i = 0; i < std::ssize(expected); ++i) {
      const double difference = std::abs((*this)[i] - expected[i]);
      most = std::max(most, std::abs(expected[i]));
      error = difference <= error ? error : std::isnan(difference) ? kInfinity : difference;
    }
    return error / most;
  }

  bool untouched_between() const {
    for (int64_t i = 0; i < std::ssize(data_); ++i) {
      if (i % stride_ >= width_ && data_[i] != between_) return false;
    }
    return true;
  }

 private:
  int64_t at(int64_t i) const { return i / width_ * stride_ + i % width_; }

  int64_t width_, stride_;
  float between_;
  std::vector<float> data_;
};

/// Arguments and results of one head, every matrix with a stride of its own.
struct Head {
  AttentionCase x;
  Strided q, k, v, dy;
  Strided y{x.T, x.K, x.K + 2, kUntouched}, dq{x.T, x.K, x.K + 4, kUntouched};
  Strided dk{x.S, x.K, 2 * x.K + 1, kUntouched}, dv{x.S, x.K, x.K + 16, kUntouched};
  std::vector<float> lse = std::vector<float>(x.T, kUntouched);

  Head(const AttentionCase& a_case, const Inputs& in)
      : x(a_case), q(in.q, x.K, 3 * x.K), k(in.k, x.K, 3 * x.K + 1), v(in.v, x.K, x.K), dy(in.dy, x.K, x.K + 7) {}

  AttentionCall call(std::vector<float>& scratch) const {
    return {.queries = x.T,
            .keys = x.S,
            .width = x.K,
            .scale = static_cast<float>(x.scale()),
            .causal = x.causal,
            .dropout = x.dropout ? &kDropout : nullptr,
            .scratch = scratch.data()};
  }

  void forward(float in_scratch = kNaN) {
    std::vector<float> scratch(attention_scratch(x.S, x.K), in_scratch);
    const Head& in = *this;
    attention_forward(call(scratch), in.q.rows(), in.k.rows(), in.v.rows(), y.rows(), lse.data());
  }

  void backward(float in_scratch = kNaN) {
    std::vector<float> scratch(attention_scratch(x.S, x.K), in_scratch);
    const Head& in = *this;
    attention_backward(call(scratch), {in.q.rows(), in.k.rows(), in.v.rows(), in.y.rows(), lse.data()}, in.dy.rows(),
                       dq.rows(), dk.rows(), dv.rows());
  }
};

/// Calls the test once for each instruction set that this machine has.
template <class Test>
void for_every_target(const Test& test) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test();
    hwy::SetSupportedTargetsForTest(0);
  }
}

void expect_equations(const AttentionCase& x) {
  SCOPED_TRACE(name_of(x));
  const Inputs in(x);
  const Forward forward = oracle_forward(x, in);
  const Gradients gradients = oracle_backward(x, in, forward);
  for_every_target([&] {
    Head run(x, in);
    run.forward();
    EXPECT_LE(run.y.error(forward.y, 0.1), 1e-5);
    for (int64_t t = 0; t < x.T; ++t) EXPECT_NEAR(run.lse[t], forward.lse[t], 1e-5);
    run.backward();
    EXPECT_LE(run.dq.error(gradients.q, 1), 1e-5);
    EXPECT_LE(run.dk.error(gradients.k, 1), 1e-5);
    EXPECT_LE(run.dv.error(gradients.v, 1), 1e-5);
    for (const Strided* out : {&run.y, &run.dq, &run.dk, &run.dv}) EXPECT_TRUE(out->untouched_between());
  });
}

void expect_equations_of_all_kinds(int64_t T, int64_t S, int64_t K) {
  for (const bool causal : {false, true}) {
    for (const bool dropout : {false, true}) expect_equations({T, S, K, causal, dropout});
  }
}

// ---- tests ----

TEST(AttentionKernel, FollowsTheEquationsForEveryLength) {
  for (const int64_t T : {1, 2, 3, 7, 16, 25, 33, 100, 130}) {
    for (const int64_t S : {1, 2, 3, 7, 16, 25, 33, 100, 130}) expect_equations_of_all_kinds(T, S, 8);
  }
}

TEST(AttentionKernel, FollowsTheEquationsForEveryWidth) {
  for (const int64_t K : {1, 3, 8, 16, 20, 32, 64, 128}) {
    expect_equations_of_all_kinds(7, 16, K);
    expect_equations_of_all_kinds(25, 25, K);
    expect_equations_of_all_kinds(33, 130, K);
  }
}

TEST(AttentionKernel, FollowsTheEquationsForLongSequences) {
  expect_equations({700, 700, 8, true, true});
  expect_equations({20, 3001, 16, false, true});
  expect_equations({1500, 9, 16, false, false});
}

TEST(AttentionKernel, HasTheGradientsOfFiniteDifferences) {
  for (const AttentionCase& x :
       {AttentionCase{5, 7, 4}, {9, 6, 5, false, true}, {6, 6, 3, true, true}, {3, 9, 8, true}}) {
    SCOPED_TRACE(name_of(x));
    const Inputs in(x);
    Head run(x, in);
    run.forward();
    run.backward();
    EXPECT_LE(run.dq.error(finite_differences(x, in, &Inputs::q), 1), 1e-5);
    EXPECT_LE(run.dk.error(finite_differences(x, in, &Inputs::k), 1), 1e-5);
    EXPECT_LE(run.dv.error(finite_differences(x, in, &Inputs::v), 1), 1e-5);
  }
}

TEST(AttentionKernel, IsExactWhereExpOverflowsAFloat) {
  const AttentionCase x{20, 30, 8};
  Inputs in(x);
  for (double& value : in.q) value *= 64;  // scores to +-300
  const Forward forward = oracle_forward(x, in);
  Head run(x, in);
  run.forward();
  EXPECT_LE(run.y.error(forward.y, 0.1), 1e-4);  // a score of 300 has a last digit of 3e-5
}

TEST(AttentionKernel, DoesNotDependOnWhatWasInTheScratch) {
  for (const AttentionCase& x : {AttentionCase{33, 50, 20, false, true}, {50, 33, 20, true, false}}) {
    const Inputs in(x);
    Head a(x, in), b(x, in);
    a.forward(kNaN);
    a.backward(kInfinity);
    b.forward(1);
    b.backward(kNaN);
    for (int64_t i = 0; i < x.T * x.K; ++i) ASSERT_TRUE(a.y[i] == b.y[i] && a.dq[i] == b.dq[i]);
    for (int64_t i = 0; i < x.S * x.K; ++i) ASSERT_TRUE(a.dk[i] == b.dk[i] && a.dv[i] == b.dv[i]);
  }
}

TEST(AttentionKernel, LetsOneScratchServeShorterSequences) {
  for (int64_t keys : {1, 30, 500, 2000}) EXPECT_LE(attention_scratch(keys, 64), attention_scratch(keys + 100, 64));
}

// Panels are as wide as the vectors are. Processors with vectors of 64 bytes have 1 MiB of second-level cache or more,
// others may have 256 KiB.
TEST(AttentionKernel, KeepsTheScratchOfAThousandKeysInTheSecondCache) {
  for_every_target([] {
    constexpr int64_t kWiderThanAvx2 = HWY_AVX2 - 1;  // the better a target of x86, the lower its bit
    const bool wide_vectors = (hwy::SupportedTargets() & kWiderThanAvx2) != 0;
    EXPECT_LE(attention_scratch(1000, 64) * sizeof(float), (wide_vectors ? 320 : 160) * 1024);
  });
}

TEST(AttentionKernel, GivesNothingForNoQueries) {
  for (const bool causal : {false, true}) {
    Head run({1, 4, 8}, Inputs({1, 4, 8}));
    run.x.T = 0;
    run.x.causal = causal;
    run.forward();
    run.backward();
    EXPECT_EQ(run.y[0], kUntouched);
    EXPECT_EQ(run.dk.error(Doubles(4 * 8), 1), 0);
    EXPECT_EQ(run.dv.error(Doubles(4 * 8), 1), 0);
  }
}

/// Which rows of x hold a NaN, all others being finite.
std::vector<int64_t> nan_rows(const Strided& x, int64_t rows, int64_t width) {
  std::vector<int64_t> found;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t nans = 0;
    for (int64_t j = 0; j < width; ++j) nans += std::isnan(x[i * width + j]) ? 1 : 0;
    if (nans > 0) found.push_back(i);
    EXPECT_TRUE(nans == 0 || nans == width) << "row " << i;
  }
  return found;
}

TEST(AttentionKernel, ShowsNonFiniteQueriesInTheirRows) {
  const AttentionCase x{25, 30, 8, false, true};
  for_every_target([&] {
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
      Head run(x, Inputs(x));
      run.q[20 * x.K + 3] = bad;
      run.forward();
      run.backward();
      EXPECT_EQ(nan_rows(run.y, x.T, x.K), std::vector<int64_t>{20});
      EXPECT_TRUE(std::isnan(run.lse[20]));
      EXPECT_EQ(nan_rows(run.dq, x.T, x.K), std::vector<int64_t>{20});
      EXPECT_EQ(nan_rows(run.dk, x.S, x.K).size(), x.S);
      EXPECT_EQ(nan_rows(run.dv, x.S, x.K).size(), x.S);
    }
  });
}

TEST(AttentionKernel, ShowsNonFiniteKeysToThoseWhoSeeThem) {
  const AttentionCase x{25, 25, 8, true, false};
  for_every_target([&] {
    Head run(x, Inputs(x));
    run.k[20 * x.K + 3] = kNaN;
    run.forward();
    run.backward();
    EXPECT_EQ(nan_rows(run.y, x.T, x.K), (std::vector<int64_t>{20, 21, 22, 23, 24}));
    for (int64_t t = 0; t < x.T; ++t) EXPECT_EQ(std::isnan(run.lse[t]), t >= 20) << t;
    EXPECT_EQ(nan_rows(run.dv, x.S, x.K).size(), x.S);
  });
}

}  // namespace
}  // namespace plumb::kernel
