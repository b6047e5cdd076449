#include "support/accelerator.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace plumb::test {
namespace {

at::Tensor there(const at::Tensor& x) {
  return x.to(accelerator());
}

TEST(Accelerator, ComputesWhatTheCpuDoes) {
  const at::Tensor x = at::arange(12, at::kFloat).view({3, 4}) / 7;
  const int64_t before = accelerator_ops();
  EXPECT_TRUE(at::equal(at::mm(there(x), there(x).t()).cpu(), at::mm(x, x.t())));
  EXPECT_TRUE(at::equal(there(x).narrow(1, 1, 2).transpose(0, 1).softmax(-1).cpu(),
                        x.narrow(1, 1, 2).transpose(0, 1).softmax(-1)));
  EXPECT_GT(accelerator_ops(), before);
}

TEST(Accelerator, HasViewsOfItsMemory) {
  const at::Tensor flat = at::zeros({6}, at::TensorOptions(at::kFloat).device(accelerator()));
  flat.narrow(0, 2, 4).view({2, 2}).select(1, 1).fill_(3);
  EXPECT_TRUE(at::equal(flat.cpu(), at::tensor({0.F, 0.F, 0.F, 3.F, 0.F, 3.F})));
}

TEST(Accelerator, GoesBackwardTwice) {
  const auto bend = [](const at::Tensor& start) {
    const at::Tensor x = start.detach().requires_grad_();
    const at::Tensor y = at::layer_norm(x.tanh(), {x.size(1)}).matmul(x).square().sum();
    const at::Tensor slope = torch::autograd::grad({y}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    return torch::autograd::grad({slope.square().sum()}, {x})[0];
  };
  const at::Tensor x = at::arange(16, at::kFloat).view({4, 4}).sin();
  EXPECT_TRUE(at::equal(bend(there(x)).cpu(), bend(x)));
}

TEST(Accelerator, RefusesTensorsOfTheCpuBesideItsOwn) {
  const at::Tensor x = at::ones({2, 2});
  EXPECT_THROW(at::mm(there(x), x), c10::Error);
}

using AcceleratorDeathTest = ::testing::Test;

TEST(AcceleratorDeathTest, ItsMemoryCannotBeTouchedFromOutside) {
  const at::Tensor x = there(at::ones({3}));
  EXPECT_DEATH(*static_cast<volatile float*>(x.data_ptr()), "");
  EXPECT_DEATH(*static_cast<volatile float*>(x.data_ptr()) = 1, "");
  EXPECT_EQ(x.sum().item<double>(), 3);
}

}  // namespace
}  // namespace plumb::test
