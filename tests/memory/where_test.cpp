#include "plumb/memory/where.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/config/config.h"

#include "support/accelerator.h"

namespace plumb::test {
namespace {

TEST(Where, IsTheCpuInFloatsUnlessItIsSaid) {
  EXPECT_EQ(Where(), Where(at::kCPU, at::kFloat));
  EXPECT_EQ(Where(at::kDouble), Where(at::kCPU, at::kDouble));
  EXPECT_EQ(where_of(Config()), Where());
}

TEST(Where, IsThatOfATensor) {
  const Where where(accelerator(), at::kDouble);
  EXPECT_EQ(Where(at::zeros({2}, where.options())), where);
  EXPECT_EQ(Where(at::zeros({2}, where.options(at::kLong))), Where(accelerator(), at::kLong));
}

TEST(Where, BringsPlainNumbers) {
  const at::Tensor numbers = Where(accelerator(), at::kFloat).of(std::vector<int64_t>{4, 0, 9});
  EXPECT_EQ(Where(numbers), Where(accelerator(), at::kLong));
  EXPECT_EQ(numbers_of<int64_t>(numbers), (std::vector<int64_t>{4, 0, 9}));
  EXPECT_EQ(Where().of(std::vector<int64_t>()).sizes(), at::IntArrayRef({0}));
}

TEST(Where, BringsPlainNumbersWithAFractionInItsType) {
  const Where where(accelerator(), at::kDouble);
  EXPECT_EQ(Where(where.of(std::vector<float>{0.5F})), where);
  EXPECT_EQ(numbers_of<double>(where.of(std::vector<double>{0.1})), std::vector<double>{0.1});
}

TEST(Where, BringsTensorsInItsTypeAndWholeNumbersInTheirs) {
  const Where where(accelerator(), at::kDouble);
  EXPECT_EQ(Where(where.bring(at::ones({2}))), where);
  EXPECT_EQ(Where(where.bring(at::ones({2}, at::kLong))), Where(accelerator(), at::kLong));
  EXPECT_EQ(Where(where.bring(at::ones({2}, at::kBool))), Where(accelerator(), at::kBool));
  EXPECT_FALSE(where.bring({}).defined());
}

TEST(Where, MakesNoCopyOfWhatIsThere) {
  const at::Tensor x = at::ones({2}), ids = at::ones({2}, at::kLong);
  EXPECT_TRUE(Where().bring(x).is_same(x));
  EXPECT_TRUE(Where(at::kDouble).bring(ids).is_same(ids));
}

TEST(NumbersOf, ReadsAnyTensorInTheOrderOfItsRows) {
  const at::Tensor x = at::arange(6, at::kFloat).view({2, 3}).t().to(accelerator());
  EXPECT_EQ(numbers_of<double>(x), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(numbers_of<double>(at::full({}, 2.5).requires_grad_()), std::vector<double>{2.5});
}

TEST(CpuNumbers, AreInPlace) {
  at::Tensor x = at::zeros({2, 2});
  cpu_numbers<float>(x)[3] = 5;
  EXPECT_EQ(x[1][1].item<double>(), 5);
  EXPECT_EQ(cpu_bytes(x).size(), 16u);
}

TEST(CpuNumbers, OfAnotherDeviceTypeOrLayoutAreAnError) {
  const at::Tensor x = at::zeros({2, 3});
  EXPECT_THROW(cpu_numbers<float>(x.to(accelerator())), c10::Error);
  EXPECT_THROW(cpu_bytes(x.to(accelerator())), c10::Error);
  EXPECT_THROW(cpu_numbers<double>(x), c10::Error);
  EXPECT_THROW(cpu_numbers<float>(x.t()), c10::Error);
}

}  // namespace
}  // namespace plumb::test
