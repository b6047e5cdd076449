#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "plumb/base/random_stream.h"
#include "plumb/kernel/philox.h"
#include "plumb/kernel/row_names.h"

/// What the tests of row kernels share. The oracles are plain loops in double precision, here and in each test.
namespace plumb::kernel {

/// Runs a test on every instruction set of this machine, the kernels' choice being that one.
class EveryTarget : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

inline std::vector<int64_t> targets() {
  std::vector<int64_t> found;
  for (int64_t left = hwy::SupportedTargets() & ~HWY_EMU128; left != 0; left &= left - 1) found.push_back(left & -left);
  return found;
}

inline std::string target_name(const testing::TestParamInfo<int64_t>& info) {
  return hwy::TargetName(info.param);
}

/// A buffer between canaries, which begins where no vector is aligned.
class Guarded {
 public:
  explicit Guarded(int64_t size, float value = 0) : size_(size), all_(size + 2 * kGuard, kCanary) {
    std::fill_n(data(), size, value);
  }
  Guarded(const std::vector<float>& values) : Guarded(static_cast<int64_t>(values.size())) {  // NOLINT: a conversion
    std::copy(values.begin(), values.end(), data());
  }
  ~Guarded() {
    for (int64_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(all_[i], kCanary) << "written " << kGuard - i << " before the beginning";
      EXPECT_EQ(all_[kGuard + size_ + i], kCanary) << "written " << i << " after the end";
    }
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  float* data() { return all_.data() + kGuard; }
  int64_t size() const { return size_; }
  std::vector<float> values() const { return {all_.begin() + kGuard, all_.begin() + kGuard + size_}; }

 private:
  static constexpr int64_t kGuard = 33;
  static constexpr float kCanary = -12345.5F;

  int64_t size_;
  std::vector<float> all_;
};

inline std::vector<float> normal_numbers(int64_t count, uint32_t seed, double deviation = 1, double mean = 0) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(mean, deviation);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(normal(generator));
  return numbers;
}

inline std::vector<double> widened(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

inline std::vector<float> narrowed(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// The names of rows of a packed batch: sequences of 1, 2, 3, ... rows, one of which has an id above 2^32.
struct Names {
  explicit Names(int64_t rows) {
    for (int64_t sequence = 1; static_cast<int64_t>(sample.size()) < rows; ++sequence) {
      for (int64_t t = 0; t < sequence && static_cast<int64_t>(sample.size()) < rows; ++t) {
        sample.push_back(sequence == 2 ? (int64_t{5} << 32) + 7 : 3 * sequence);
        position.push_back(t);
      }
    }
  }
  RowNames view() const { return {sample.data(), position.data()}; }

  std::vector<int64_t> sample, position;
};

inline DropoutKey dropout_key(double p) {
  return {0x12345678, 0x9abcdef0, static_cast<uint64_t>(p * 4294967296.0), static_cast<float>(1 / (1 - p))};
}

/// The factor of column i of a row, by the rule of ops/dropout.cpp.
inline double keep_factor(const DropoutKey* key, const Names& names, int64_t row, int64_t i) {
  if (!key) return 1;
  const auto sample = static_cast<uint64_t>(names.sample[row]);
  const PhiloxCounter counter{static_cast<uint32_t>(i / 4), static_cast<uint32_t>(names.position[row]),
                              static_cast<uint32_t>(sample), 0};
  const PhiloxCounter bits = philox4x32(counter, {key->key0, key->key1 ^ static_cast<uint32_t>(sample >> 32)});
  return bits[i % 4] < key->threshold ? 0 : static_cast<double>(key->scale);
}

/// Every number within `tolerance` of the largest one wanted, or of `least`: sums of large numbers may be small.
inline void expect_close(const std::vector<float>& got, const std::vector<double>& want, double tolerance,
                         const std::string& what, double least = 1e-30) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double largest = least;
  for (const double value : want) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], tolerance * largest) << what << " at " << i << " of " << got.size();
  }
}

/// The same bits.
inline void expect_same(const std::vector<float>& a, const std::vector<float>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(a[i]), std::bit_cast<uint32_t>(b[i])) << what << " at " << i;
  }
}

/// d loss / d at[i], by central differences.
inline std::vector<double> differences(std::vector<double>& at, const std::function<double()>& loss) {
  std::vector<double> slopes;
  for (double& value : at) {
    const double middle = value, h = 1e-4;
    value = middle + h;
    const double above = loss();
    value = middle - h;
    const double below = loss();
    value = middle;
    slopes.push_back((above - below) / (2 * h));
  }
  return slopes;
}

}  // namespace plumb::kernel
