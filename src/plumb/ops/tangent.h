#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// While it lives, tensors carry tangents, as LibTorch's forward mode has them, and every op hands them on: from the
/// tangent of x it makes that of y, d/de op(x + e tangent) at e = 0. What an op does so has a gradient. The gradient of
/// the loss's tangent is the product of the Hessian with the tangents of the parameters, exactly; see
/// probe/hessian_vector.h.
///
/// Ops with a rule of their own for it (takes_tangent_path()) follow that on the fused path, the others do their
/// reference, whose rule LibTorch has. One scope at a time; the tangents are gone when it ends.
class TangentScope {
 public:
  TangentScope();
  ~TangentScope();
  TangentScope(const TangentScope&) = delete;
  TangentScope& operator=(const TangentScope&) = delete;

 private:
  uint64_t level_;
};

/// Whether a scope is open.
bool carries_tangents();

/// Undefined where it is zero.
at::Tensor tangent_of(const at::Tensor& x);
/// The same, but zeros instead of nothing.
at::Tensor full_tangent_of(const at::Tensor& x);
/// Gives y its tangent, unless that is undefined.
void set_tangent(const at::Tensor& y, const at::Tensor& tangent);

}  // namespace plumb::ops
