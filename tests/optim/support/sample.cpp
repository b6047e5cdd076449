#include "optim/support/sample.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/random_stream.h"

namespace plumb::test {

Sample::Sample(at::ScalarType dtype, int64_t rows) {
  const Fill normal{.kind = Fill::Kind::Normal, .value = 1};
  store.declare({"before", {3}, normal});
  store.declare({"middle", {rows, 5}, normal});
  store.declare({"after", {1}, normal});
  store.allocate(dtype);
  store.draw(7);
}

void Sample::set_gradients(int64_t t) {
  RandomStream stream(static_cast<uint64_t>(t), "gradients");
  for (const auto& entry : store.entries()) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < entry.count; ++i) {
      const double size = std::pow(10.0, static_cast<double>(i % 6) - 4);
      numbers.push_back(i % 7 == 6 ? 0 : size * stream.normal());
    }
    store.gradient(entry.spec.name).copy_(at::tensor(numbers, at::kDouble).view(entry.spec.shape));
  }
}

std::vector<double> Sample::elements(const at::Tensor& buffer) const {
  std::vector<double> all;
  for (const auto& entry : store.entries()) {
    const at::Tensor part = buffer.narrow(0, entry.offset, entry.count).to(at::kDouble).contiguous();
    all.insert(all.end(), part.data_ptr<double>(), part.data_ptr<double>() + entry.count);
  }
  return all;
}

double Sample::in_gaps(const at::Tensor& buffer) const {
  at::Tensor rest = buffer.clone();
  for (const auto& entry : store.entries()) rest.narrow(0, entry.offset, entry.count).zero_();
  return rest.abs().max().item<double>();
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << "element " << i;
  }
}

}  // namespace plumb::test
