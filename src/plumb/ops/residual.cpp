#include "plumb/ops/residual.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/residual.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent.h"

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

/// The gain's own tangent as a gain; nothing moves by a number.
Gain moving(const Gain& gain) {
  const at::Tensor tangent = tangent_of(gain.learned);
  return tangent.defined() ? Gain{.learned = tangent} : Gain{.value = 0};
}

bool moves(const Gain& gain) {
  return tangent_of(gain.learned).defined();
}

/// The sum is linear in what flows and in the gains: the product rule, each part by the kernel. Then the norm.
at::Tensor with_tangent(const ResidualTerms& terms) {
  ResidualTerms sum = terms;
  sum.norm.reset();
  const at::Tensor z = residual_fused(sum);
  ResidualTerms flow = sum;
  flow.f = full_tangent_of(sum.f);
  flow.bias = tangent_of(sum.bias);
  flow.x = tangent_of(sum.x);
  flow.bottom = tangent_of(sum.bottom);
  at::Tensor tangent = residual_fused(flow);
  if (moves(sum.r) || moves(sum.g)) {
    ResidualTerms gains = sum;
    gains.r = moving(sum.r);
    gains.g = moving(sum.g);
    gains.bottom.reset();
    tangent = tangent + residual_fused(gains);
  }
  set_tangent(z, tangent);
  return terms.norm ? norm(terms.norm->kind, z, terms.norm->weights, terms.norm->eps) : z;
}

}  // namespace

at::Tensor residual(const ResidualTerms& terms) {
  if (takes_tangent_path(terms.f)) return with_tangent(terms);
  return takes_fused_path(terms.f) ? residual_fused(terms) : reference(terms);
}

}  // namespace plumb::ops
