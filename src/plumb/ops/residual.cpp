#include "plumb/ops/residual.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/residual.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent/residual.h"

namespace plumb::ops {
namespace {

at::Tensor scaled(const Gain& gain, const at::Tensor& x) {
  if (gain.learned.defined()) return x * gain.learned;
  return gain.value == 1 ? x : x * gain.value;
}

at::Tensor reference(const ResidualTerms& t) {
  const at::Tensor f = t.bias.defined() ? t.f + t.bias : t.f;
  at::Tensor z = scaled(t.g, dropout(f, t.rows, t.dropout));
  if (t.x.defined()) z = scaled(t.r, t.x) + z;
  if (t.beta != 1) z = z * t.beta;
  if (t.bottom.defined() && t.alpha != 0) z = z + (t.alpha == 1 ? t.bottom : t.bottom * t.alpha);
  return t.norm ? reference_norm(t.norm->kind, z, t.norm->weights, t.norm->eps) : z;
}

}  // namespace

at::Tensor residual(const ResidualTerms& terms) {
  if (takes_tangent_path(terms.f)) return residual_with_tangent(terms);
  return takes_fused_path(terms.f) ? residual_fused(terms) : reference(terms);
}

}  // namespace plumb::ops
