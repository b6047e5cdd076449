#include "plumb/ops/embedding.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/embedding.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent/embedding.h"

namespace plumb::ops {
namespace {

at::Tensor reference(const EmbeddingTerms& t) {
  at::Tensor x = t.table.index_select(0, t.ids);
  if (t.scale != 1) x = x * t.scale;
  if (t.positions.defined()) {
    x = x + t.positions.index_select(0, t.rows.positions(Where(x)) + t.first_position);
  }
  return dropout(x, t.rows, t.dropout);
}

}  // namespace

at::Tensor embedding(const EmbeddingTerms& terms) {
  if (takes_tangent_path(terms.table)) return embedding_with_tangent(terms);
  return takes_fused_path(terms.table) ? embedding_fused(terms) : reference(terms);
}

}  // namespace plumb::ops
