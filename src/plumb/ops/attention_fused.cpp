#include "plumb/ops/attention_fused.h"

#include <vector>

#include <ATen/ATen.h>

#include "plumb/ops/fused_node.h"
#include "plumb/ops/kernel/attention.h"
#include "plumb/ops/parallel.h"
#include "plumb/ops/stopwatch.h"

namespace plumb::ops {
namespace {

/// The place of one head of one sequence in a matrix.
struct Place {
  int64_t row, column;
};

kernel::HeadRows rows_at(const Columns& c, const Place& place) {
  const int64_t stride = c.matrix.size(1);
  return {c.matrix.data_ptr<float>() + place.row * stride + c.first + place.column, stride};
}

/// The same place in a gradient of the matrix.
kernel::MutableHeadRows room_at(const Columns& c, const at::Tensor& gradient, const Place& place) {
  const int64_t stride = c.matrix.size(1);
  return {gradient.data_ptr<float>() + place.row * stride + c.first + place.column, stride};
}

/// Goes through all heads of all sequences: body(call, sequence, head, place of the queries, place of the keys).
template <class Body>
void for_each_head(const AttentionTerms& t, int64_t head_width, const Body& body) {
  const PartScope scope(StepPart::Attention);
  const kernel::DropoutKey key = dropout_key(t.dropout);
  const auto scratch = static_cast<int64_t>(kernel::attention_scratch(t.keys.longest(), head_width));
  for_each_piece(t.queries.sequences() * t.heads, [&](int64_t piece) {
    thread_local std::vector<float> room;
    if (std::ssize(room) < scratch) room.resize(static_cast<size_t>(scratch));
    const int64_t sequence = piece / t.heads, head = piece % t.heads;
    const kernel::AttentionDropout dropout{
        .key = key,
        .sample = static_cast<uint64_t>(t.queries.samples()[static_cast<size_t>(sequence)]),
        .head = static_cast<uint32_t>(head)};
    const kernel::AttentionCall call{.queries = t.queries.length(sequence),
                                     .keys = t.keys.length(t.key_sequence(sequence)),
                                     .width = head_width,
                                     .scale = static_cast<float>(t.scale),
                                     .causal = t.causal,
                                     .dropout = t.dropout.active() ? &dropout : nullptr,
                                     .scratch = room.data()};
    body(call, head, Place{t.queries.begin(sequence), head * head_width},
         Place{t.keys.begin(t.key_sequence(sequence)), head * head_width});
  });
}

struct AttentionBackward : FusedNode {
  Columns q{{}, 0, 0}, k{{}, 0, 0}, v{{}, 0, 0};
  AttentionTerms t;
  at::Tensor y, lse;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dy = outputs[0].contiguous();
    const int64_t head_width = y.size(1) / t.heads, rows = y.size(0);
    const Columns joined(y), slope(dy);
    // Results that lie in one matrix have their gradients in one, too.
    const at::Tensor dq = at::empty_like(q.matrix);
    const at::Tensor dk = k.matrix.is_same(q.matrix) ? dq : at::empty_like(k.matrix);
    const at::Tensor dv = v.matrix.is_same(q.matrix) ? dq : v.matrix.is_same(k.matrix) ? dk : at::empty_like(v.matrix);
    const float* sums = lse.data_ptr<float>();
    for_each_head(t, head_width, [&](const kernel::AttentionCall& call, int64_t head, Place at_q, Place at_k) {
      const kernel::AttentionSaved saved{rows_at(q, at_q), rows_at(k, at_k), rows_at(v, at_k), rows_at(joined, at_q),
                                         sums + head * rows + at_q.row};
      kernel::attention_backward(call, saved, rows_at(slope, at_q), room_at(q, dq, at_q), room_at(k, dk, at_k),
                                 room_at(v, dv, at_k));
    });
    // Autograd adds up what comes to one input by several edges: each gradient goes by the first of them.
    return {dq, dk.is_same(dq) ? at::Tensor() : dk, dv.is_same(dq) || dv.is_same(dk) ? at::Tensor() : dv};
  }

  void release_variables() override {
    for (Columns* one : {&q, &k, &v}) one->matrix.reset();
    y.reset(), lse.reset();
  }
};

Columns contiguous(const Columns& c) {
  return {c.matrix.contiguous(), c.first, c.count};
}

/// Whether the columns taken from this matrix are all that it has.
bool covered(const at::Tensor& matrix, const Columns& q, const Columns& k, const Columns& v) {
  int64_t taken = 0;
  for (const Columns* one : {&q, &k, &v}) {
    if (one->matrix.is_same(matrix)) taken += one->count;
  }
  return taken == matrix.size(1);
}

}  // namespace

at::Tensor attention_fused(const Columns& q_in, const Columns& k_in, const Columns& v_in, const AttentionTerms& terms) {
  const Columns q = contiguous(q_in), k = contiguous(k_in), v = contiguous(v_in);
  for (const Columns* one : {&q, &k, &v}) {
    TORCH_CHECK(covered(one->matrix, q, k, v), "attention was given a matrix with columns that it does not read");
  }
  const int64_t rows = q.matrix.size(0), width = q.count, head_width = width / terms.heads;
  at::Tensor y = at::empty({rows, width}, q.matrix.options());
  const at::Tensor lse = at::empty({terms.heads, rows}, q.matrix.options());
  const Columns joined(y);
  auto* sums = lse.data_ptr<float>();
  for_each_head(terms, head_width, [&](const kernel::AttentionCall& call, int64_t head, Place at_q, Place at_k) {
    kernel::attention_forward(call, rows_at(q, at_q), rows_at(k, at_k), rows_at(v, at_k), room_at(joined, y, at_q),
                              sums + head * rows + at_q.row);
  });
  if (wants_gradient(q.matrix, k.matrix, v.matrix)) {
    TORCH_CHECK(terms.readers.empty(), "keys that several sequences read have no gradient here");
    const auto node = make_node<AttentionBackward>(q.matrix, k.matrix, v.matrix);
    node->q = q;
    node->k = k;
    node->v = v;
    node->t = terms;
    node->y = detached(y);
    node->lse = lse;
    torch::autograd::set_history(y, node);
  }
  return y;
}

}  // namespace plumb::ops
