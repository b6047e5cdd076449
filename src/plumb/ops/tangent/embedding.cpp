#include "plumb/ops/tangent/embedding.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/embedding.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {

at::Tensor embedding_with_tangent(const EmbeddingTerms& t) {
  const at::Tensor out = embedding_fused(t);
  EmbeddingTerms moving = t;
  moving.table = full_tangent_of(t.table);
  moving.positions = tangent_of(t.positions);
  set_tangent(out, embedding_fused(moving));
  return out;
}

}  // namespace plumb::ops
