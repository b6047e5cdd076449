#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/terms.h"

namespace plumb::ops {

/// The two ways of computing an op. The reference is a few lines of ATen and is the definition: any device, any type,
/// twice differentiable. The fused path is our own kernel for floats on a CPU with a hand-written gradient.
using plumb::Path;

/// Which path ops take on this thread, until another is set. At first it is the fused one.
void set_path(Path path);
Path current_path();

/// The same from here to the end of the scope.
class PathScope {
 public:
  explicit PathScope(Path path);
  ~PathScope();
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;

 private:
  Path before_;
};

/// Whether an op on this tensor takes the fused path: it is asked for, and the kernels know the tensor's kind. If not,
/// the op is counted as a reference op.
bool takes_fused_path(const at::Tensor& x);

/// Whether an op with a rule for tangents follows it on this tensor: a TangentScope is open, and its kernels would be
/// taken otherwise. Then takes_fused_path() is false for every op: kernels alone would lose the tangents.
bool takes_tangent_path(const at::Tensor& x);

/// How many times an op of ours took the reference path, in this process.
int64_t reference_calls();

/// The gradient of a fused op is made by hand and has no gradient itself. Called by each of them when it goes backward:
/// a second derivative through it is an error, never a silent zero.
void refuse_second_derivative(const char* op);

}  // namespace plumb::ops
