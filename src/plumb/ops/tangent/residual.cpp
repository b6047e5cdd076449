#include "plumb/ops/tangent/residual.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/residual.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

/// The gain's own tangent as a gain; nothing moves by a number.
Gain moving(const Gain& gain) {
  const at::Tensor tangent = tangent_of(gain.learned);
  return tangent.defined() ? Gain{.learned = tangent} : Gain{.value = 0};
}

bool moves(const Gain& gain) {
  return tangent_of(gain.learned).defined();
}

}  // namespace

at::Tensor residual_with_tangent(const ResidualTerms& terms) {
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

}  // namespace plumb::ops
