#include "plumb/ops/path.h"

#include <atomic>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

thread_local Path current = Path::Fused;
std::atomic<int64_t> reference_count = 0;

bool has_kernels(const at::Tensor& x) {
  return current == Path::Fused && x.scalar_type() == at::kFloat && x.device().is_cpu();
}

}  // namespace

void set_path(Path path) {
  current = path;
}

Path current_path() {
  return current;
}

PathScope::PathScope(Path path) : before_(current) {
  current = path;
}

PathScope::~PathScope() {
  current = before_;
}

bool takes_fused_path(const at::Tensor& x) {
  const bool fused = has_kernels(x) && !carries_tangents();
  if (!fused) ++reference_count;
  return fused;
}

bool takes_tangent_path(const at::Tensor& x) {
  return carries_tangents() && has_kernels(x);
}

int64_t reference_calls() {
  return reference_count;
}

void refuse_second_derivative(const char* op) {
  TORCH_CHECK(!at::GradMode::is_enabled(), op,
              " on the fused path has no second derivative. Open a PathScope(Path::Reference) before the forward pass");
}

}  // namespace plumb::ops
