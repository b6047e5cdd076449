#include "plumb/ops/fused/attention_heads.h"

#include <ATen/ATen.h>

namespace plumb::ops {
namespace {

Columns contiguous(const Columns& c) {
  return {c.matrix.contiguous(), c.first, c.count};
}

}  // namespace

AttentionInputs::AttentionInputs(const Columns& q_in, const Columns& k_in, const Columns& v_in)
    : q(contiguous(q_in)), k(contiguous(k_in)), v(contiguous(v_in)) {
  for (const Columns* one : {&q, &k, &v}) {
    int64_t taken = 0;
    for (const Columns* other : {&q, &k, &v}) {
      if (other->matrix.is_same(one->matrix)) taken += other->count;
    }
    TORCH_CHECK(taken == one->matrix.size(1), "attention was given a matrix with columns that it does not read");
  }
}

AttentionInputs::Gradients AttentionInputs::room() const {
  const at::Tensor dq = at::empty_like(q.matrix);
  const at::Tensor dk = k.matrix.is_same(q.matrix) ? dq : at::empty_like(k.matrix);
  const at::Tensor dv = v.matrix.is_same(q.matrix) ? dq : v.matrix.is_same(k.matrix) ? dk : at::empty_like(v.matrix);
  return {dq, dk, dv};
}

std::vector<at::Tensor> AttentionInputs::Gradients::by_edge() const {
  return {q, k.is_same(q) ? at::Tensor() : k, v.is_same(q) || v.is_same(k) ? at::Tensor() : v};
}

AttentionValues attention_values(const AttentionInputs& in, const AttentionTerms& terms) {
  const int64_t rows = in.q.matrix.size(0), width = in.q.count, head_width = width / terms.heads;
  const AttentionValues values{at::empty({rows, width}, in.q.matrix.options()),
                               at::empty({terms.heads, rows}, in.q.matrix.options())};
  const Columns joined(values.y);
  auto* sums = values.lse.data_ptr<float>();
  for_each_head(terms, head_width, kernel::attention_scratch(terms.keys.longest(), head_width),
                [&](const kernel::AttentionCall& call, int64_t head, Place at_q, Place at_k) {
                  kernel::attention_forward(call, rows_at(in.q, at_q), rows_at(in.k, at_k), rows_at(in.v, at_k),
                                            room_at(joined, values.y, at_q), sums + head * rows + at_q.row);
                });
  return values;
}

}  // namespace plumb::ops
