#include "plumb/kernel/bias_activation.h"

#include <limits>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

constexpr Activation kActivations[] = {Activation::Relu, Activation::Gelu};
constexpr int64_t kBiasWidths[] = {1, 3, 17, 64, 100, 129, 512};

double activated(Activation activation, double x) {
  if (activation == Activation::Relu) return std::max(x, 0.0);
  return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double slope(Activation activation, double x) {
  if (activation == Activation::Relu) return x > 0 ? 1 : 0;
  const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * density;
}

struct BiasCase {
  BiasCase(Activation a, int64_t row_count, int64_t columns, bool biased, bool drops)
      : activation(a),
        rows(row_count),
        width(columns),
        names(rows),
        key(dropout_key(0.2)),
        dropout(drops ? &key : nullptr),
        in(normal_numbers(rows * width, 1, 1.5)),
        dh(normal_numbers(rows * width, 2)),
        bias(biased ? normal_numbers(width, 3) : std::vector<float>(width)),
        guarded_bias(bias),
        bias_pointer(biased ? guarded_bias.data() : nullptr) {
    for (int64_t i = 0; i < rows * width; ++i) {
      const double x = static_cast<double>(in[i] + bias[i % width]),
                   keep = keep_factor(dropout, names, i / width, i % width);
      h.push_back(keep * activated(a, x));
      din.push_back(keep * slope(a, x) * dh[i]);
    }
    dbias.resize(width);
    for (int64_t i = 0; i < rows * width; ++i) dbias[i % width] += din[i];
  }

  BiasActivationForward forward(const float* from, float* to) const {
    return {activation, bias_pointer, dropout, names.view(), width, from, to};
  }
  BiasActivationBackward backward(const float* saved, const float* gradient, float* to, float* sum) const {
    return {activation, bias_pointer, dropout, names.view(), width, saved, gradient, to, sum};
  }

  Activation activation;
  int64_t rows, width;
  Names names;
  DropoutKey key;
  const DropoutKey* dropout;
  std::vector<float> in, dh, bias;
  Guarded guarded_bias;
  const float* bias_pointer;
  std::vector<double> h, din, dbias;  // what is wanted
};

class BiasActivationKernel : public EveryTarget {};

TEST_P(BiasActivationKernel, AgreesWithDoublePrecisionWhateverPartsThereAre) {
  for (const Activation activation : kActivations) {
    for (const int64_t width : kBiasWidths) {
      for (const int flags : {0, 1, 2, 3}) {
        const BiasCase c(activation, 9, width, (flags & 1) != 0, (flags & 2) != 0);
        const std::string what = std::string(word(activation)) + ' ' + std::to_string(width);
        Guarded in(c.in), h(9 * width), dh(c.dh), din(9 * width), dbias(width, 7);
        bias_activation_forward(c.forward(in.data(), h.data()), 0, 9);
        expect_close(h.values(), c.h, 5e-7, what + " h");
        const float* saved = activation == Activation::Relu ? h.data() : in.data();
        bias_activation_backward(c.backward(saved, dh.data(), din.data(), dbias.data()), 0, 9);
        expect_close(din.values(), c.din, 5e-7, what + " din");
        expect_close(dbias.values(), c.dbias, 1e-6, what + " dbias", /*least=*/1);
        const std::vector<float> apart = din.values();
        bias_activation_backward(c.backward(saved, dh.data(), dh.data(), nullptr), 0, 9);
        expect_same(dh.values(), apart, what + " over dh");
        const std::vector<float> values = h.values();
        bias_activation_forward(c.forward(in.data(), in.data()), 0, 9);
        expect_same(in.values(), values, what + " in place");
      }
    }
  }
}

TEST_P(BiasActivationKernel, GeluKeepsItsDigitsWhereItIsSmall) {
  std::vector<float> grid;
  for (int i = -7000; i <= 7000; ++i) grid.push_back(static_cast<float>(i) / 1000);
  const auto n = static_cast<int64_t>(grid.size());
  Guarded in(grid), h(n), one(n, 1), din(n);
  bias_activation_forward({.activation = Activation::Gelu, .width = n, .in = in.data(), .h = h.data()}, 0, 1);
  bias_activation_backward(
      {.activation = Activation::Gelu, .width = n, .saved = in.data(), .dh = one.data(), .din = din.data()}, 0, 1);
  for (int64_t i = 0; i < n; ++i) {
    const double x = grid[i], want = activated(Activation::Gelu, x);
    ASSERT_NEAR(h.values()[i], want, 3e-6 * std::abs(want) + 1e-30) << x;
    ASSERT_NEAR(din.values()[i], slope(Activation::Gelu, x), 3e-7) << x;
  }
}

TEST_P(BiasActivationKernel, SplittingTheRowsChangesNoBit) {
  for (const Activation activation : kActivations) {
    const BiasCase c(activation, 13, 100, true, true);
    Guarded in(c.in), whole(1300), split(1300), dh(c.dh), whole_din(1300), split_din(1300);
    bias_activation_forward(c.forward(in.data(), whole.data()), 0, 13);
    bias_activation_backward(c.backward(in.data(), dh.data(), whole_din.data(), nullptr), 0, 13);
    for (const auto& [begin, end] : {std::pair{5, 13}, {0, 2}, {2, 5}}) {
      bias_activation_forward(c.forward(in.data(), split.data()), begin, end);
      bias_activation_backward(c.backward(in.data(), dh.data(), split_din.data(), nullptr), begin, end);
    }
    expect_same(whole.values(), split.values(), "h");
    expect_same(whole_din.values(), split_din.values(), "din");
  }
}

TEST_P(BiasActivationKernel, NotANumberStaysOne) {
  for (const Activation activation : kActivations) {
    const BiasCase c(activation, 1, 21, true, true);
    std::vector<float> values = c.in;
    for (const int64_t i : {0, 20}) values[i] = std::numeric_limits<float>::quiet_NaN();
    Guarded in(values), h(21), dh(c.dh), din(21);
    bias_activation_forward(c.forward(in.data(), h.data()), 0, 1);
    for (int64_t i = 0; i < 21; ++i) EXPECT_EQ(std::isnan(h.values()[i]), i % 20 == 0) << i;
    dh.data()[1] = std::numeric_limits<float>::quiet_NaN();
    h.data()[1] = 1;
    const float* saved = activation == Activation::Relu ? h.data() : in.data();
    bias_activation_backward(c.backward(saved, dh.data(), din.data(), nullptr), 0, 1);
    EXPECT_TRUE(std::isnan(din.values()[1]));
    EXPECT_EQ(std::isnan(din.values()[0]), activation == Activation::Gelu);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, BiasActivationKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
