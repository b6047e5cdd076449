// Every op of the reference path must be twice differentiable: first derivatives against fourth-order finite
// differences of the value, Hessian-vector products against fourth-order finite differences of the gradient.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/ops/activation.h"
#include "plumb/ops/attention.h"
#include "plumb/ops/cross_entropy.h"
#include "plumb/ops/dropout.h"
#include "plumb/ops/norm.h"

#include "ops/support/cases.h"
#include "ops/support/derivatives.h"
#include "support/numbers.h"

namespace plumb::test {
namespace {

using ops::Dropout;
using ops::Packed;
using Tensors = std::vector<at::Tensor>;

constexpr double kFirst = 1e-7;
constexpr double kSecond = 1e-6;

DerivativeCase norm_case(NormKind kind, int64_t width) {
  const bool scale = kind == NormKind::Scale, dyt = kind == NormKind::Dyt;
  Tensors inputs = {random({3, width}, 1) + 0.5, random({scale ? 1 : width}, 2)};
  if (kind == NormKind::Layer || dyt) inputs.push_back(random({width}, 3));
  if (dyt) inputs.push_back(random({1}, 4));
  return {"norm_" + std::string(word(kind)) + "_" + std::to_string(width), inputs, [kind](const Tensors& in) {
            const auto part = [&](size_t i) { return in.size() > i ? in[i] : at::Tensor(); };
            return ops::norm(kind, in[0], {in[1], part(2), part(3)}, 1e-2);
          }};
}

/// Sequences of 3, 1 and 2 tokens; keys of the same or of other lengths.
DerivativeCase attention_case(const std::string& name, bool cross, bool causal, const Dropout& dropout) {
  const Packed queries({3, 1, 2}, {5, 0, 9});
  const Packed keys = cross ? Packed({2, 4, 1}, {5, 0, 9}) : queries;
  const Tensors inputs = {random({queries.rows(), 4}, 1), random({keys.rows(), 4}, 2), random({keys.rows(), 4}, 3)};
  return {name, inputs, [=](const Tensors& in) {
            return ops::attention(in[0], in[1], in[2], queries, keys, /*heads=*/2, /*scale=*/0.7, causal, dropout);
          }};
}

DerivativeCase cross_entropy_case(const std::string& name, double eps, SmoothingOver smoothing) {
  const at::Tensor targets = at::tensor(std::vector<int64_t>{2, 0, 4}, at::kLong);
  return {name, {2 * random({3, 5}, 1)}, [=](const Tensors& in) {
            return ops::cross_entropy(in[0], targets, eps, smoothing);
          }};
}

DerivativeCase activation_case(Activation activation) {
  // 0.2 away from ReLU's kink at least, further than the stencil reaches.
  const at::Tensor x = random({4, 5}, 6);
  return {std::string(word(activation)), {x + 0.2 * x.sign()}, [=](const Tensors& in) {
            return ops::activate(activation, in[0]);
          }};
}

std::vector<DerivativeCase> all_cases() {
  const Dropout dropout{.p = 0.4, .seed = 3, .step = 8, .site = 17};
  std::vector<DerivativeCase> cases = op_cases(CaseSize::Small);
  for (DerivativeCase& one : cases) one.name = "case_" + one.name;
  for (NormKind kind : {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
    for (int64_t width : {1, 2, 5, 8}) cases.push_back(norm_case(kind, width));
  }
  cases.push_back({"unit_length", {random({2, 3, 4}, 1)}, [](const Tensors& in) { return ops::unit_length(in[0]); }});
  cases.push_back(attention_case("self_attention", false, false, {}));
  cases.push_back(attention_case("causal_attention", false, true, {}));
  cases.push_back(attention_case("cross_attention", true, false, {}));
  cases.push_back(attention_case("self_attention_with_dropout", false, false, dropout));
  cases.push_back(attention_case("causal_attention_with_dropout", false, true, dropout));
  cases.push_back(attention_case("cross_attention_with_dropout", true, false, dropout));
  cases.push_back({"dropout", {random({6, 5}, 1)}, [=](const Tensors& in) {
                     return ops::dropout(in[0], Packed({3, 1, 2}), dropout);
                   }});
  cases.push_back(activation_case(Activation::Relu));
  cases.push_back(activation_case(Activation::Gelu));
  cases.push_back(cross_entropy_case("cross_entropy", 0, SmoothingOver::All));
  cases.push_back(cross_entropy_case("cross_entropy_smoothed_over_all", 0.1, SmoothingOver::All));
  cases.push_back(cross_entropy_case("cross_entropy_smoothed_over_others", 0.1, SmoothingOver::Others));
  return cases;
}

class DerivativesOfEveryOp : public ::testing::TestWithParam<DerivativeCase> {};

TEST_P(DerivativesOfEveryOp, AgreeWithFiniteDifferencesOfTheValue) {
  EXPECT_LE(gradient_error(GetParam()), kFirst);
}

TEST_P(DerivativesOfEveryOp, AgreeWithFiniteDifferencesOfTheGradient) {
  EXPECT_LE(hessian_error(GetParam()), kSecond);
}

INSTANTIATE_TEST_SUITE_P(Ops, DerivativesOfEveryOp, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace plumb::test
