#include "plumb/kernel/bias_activation.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/bias_activation.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/exp-inl.h"
#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

/// max(x, 0), but NaN stays NaN: x86's own maximum would answer 0.
HWY_INLINE Vector relu(Vector x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(Tag())), x);
}

HWY_INLINE Vector gelu(Vector x) {
  Vector Phi, phi;
  normal_distribution(Tag(), x, Phi, phi);
  return hn::Mul(x, Phi);
}

HWY_INLINE Vector gelu_slope(Vector x) {
  Vector Phi, phi;
  normal_distribution(Tag(), x, Phi, phi);
  return hn::MulAdd(x, phi, Phi);
}

template <class Part>
HWY_INLINE Vector load_biased(Part part, const float* in, const float* bias, int64_t i) {
  return bias ? hn::Add(part.load(in + i), part.load(bias + i)) : part.load(in + i);
}

template <Activation kActivation>
HWY_INLINE void forward_row(const BiasActivationForward call, int64_t row) {
  const float* in = call.in + row * call.width;
  float* h = call.h + row * call.width;
  sweep_kept(call.dropout, call.names, row, call.width, [&](auto part, int64_t i, Vector keep) {
    const Vector x = load_biased(part, in, call.bias, i);
    part.store(hn::Mul(kActivation == Activation::Relu ? relu(x) : gelu(x), keep), h + i);
  });
}

}  // namespace

HWY_FLATTEN void bias_activation_forward_target(const BiasActivationForward& call, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    call.activation == Activation::Relu ? forward_row<Activation::Relu>(call, row)
                                        : forward_row<Activation::Gelu>(call, row);
  }
}

namespace {

HWY_INLINE void relu_row_backward(const BiasActivationBackward call, int64_t row) {
  const Tag d;
  const int64_t at = row * call.width;
  const float *h = call.saved + at, *dh = call.dh + at;
  float* din = call.din + at;
  const Vector scale = hn::Set(d, call.dropout ? call.dropout->scale : 1);
  sweep(call.width, [&](auto part, int64_t i) {
    // Not "if h > 0": a NaN lets the gradient pass.
    const Vector g = hn::IfThenZeroElse(hn::Le(part.load(h + i), hn::Zero(d)), hn::Mul(part.load(dh + i), scale));
    part.store(g, din + i);
    if (call.dbias) add_to(part, call.dbias + i, g);
  });
}

HWY_INLINE void gelu_row_backward(const BiasActivationBackward call, int64_t row) {
  const int64_t at = row * call.width;
  const float *in = call.saved + at, *dh = call.dh + at;
  float* din = call.din + at;
  sweep_kept(call.dropout, call.names, row, call.width, [&](auto part, int64_t i, Vector keep) {
    const Vector slope = gelu_slope(load_biased(part, in, call.bias, i));
    const Vector g = hn::Mul(hn::Mul(part.load(dh + i), keep), slope);
    part.store(g, din + i);
    if (call.dbias) add_to(part, call.dbias + i, g);
  });
}

}  // namespace

HWY_FLATTEN void bias_activation_backward_target(const BiasActivationBackward& call, int64_t begin, int64_t end) {
  if (call.dbias) std::fill_n(call.dbias, call.width, 0.0F);
  for (int64_t row = begin; row < end; ++row) {
    call.activation == Activation::Relu ? relu_row_backward(call, row) : gelu_row_backward(call, row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(bias_activation_forward_target);
HWY_EXPORT(bias_activation_backward_target);

void bias_activation_forward(const BiasActivationForward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(bias_activation_forward_target)(call, begin, end);
}

void bias_activation_backward(const BiasActivationBackward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(bias_activation_backward_target)(call, begin, end);
}

}  // namespace plumb::kernel
#endif
