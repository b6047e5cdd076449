#include "plumb/ops/tangent/attention.h"

#include <optional>

#include <ATen/ATen.h>

#include "plumb/kernel/attention_tangent.h"
#include "plumb/ops/fused/attention_heads.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

/// The tangents lie as the values do.
AttentionInputs tangents_of(const AttentionInputs& in) {
  const at::Tensor q = full_tangent_of(in.q.matrix);
  const at::Tensor k = in.k.matrix.is_same(in.q.matrix) ? q : full_tangent_of(in.k.matrix);
  const at::Tensor v = in.v.matrix.is_same(in.q.matrix)   ? q
                       : in.v.matrix.is_same(in.k.matrix) ? k
                                                          : full_tangent_of(in.v.matrix);
  return {{q, in.q.first, in.q.count}, {k, in.k.first, in.k.count}, {v, in.v.first, in.v.count}};
}

kernel::AttentionTangentSaved saved_at(const AttentionInputs& in, const AttentionInputs& dots, const float* lse,
                                       Place at_q, Place at_k) {
  return {rows_at(in.q, at_q),
          rows_at(in.k, at_k),
          rows_at(in.v, at_k),
          rows_at(dots.q, at_q),
          rows_at(dots.k, at_k),
          rows_at(dots.v, at_k),
          lse};
}

/// Its outputs are y and its tangent; its edges q, k, v, then their tangents.
struct AttentionTangentBackward : FusedNode {
  std::optional<AttentionInputs> in, dots;
  AttentionTerms t;
  at::Tensor lse;

  variable_list backward(const variable_list& outputs) override {
    const int64_t rows = in->q.matrix.size(0), width = in->q.count, head_width = width / t.heads;
    const auto slope = [&](const at::Tensor& x) {
      return Columns(x.defined() ? x.contiguous() : at::zeros({rows, width}, lse.options()));
    };
    const Columns dy = slope(outputs[0]), dy_dot = slope(outputs[1]);
    const AttentionInputs::Gradients room = in->room(), dot_room = dots->room();
    const float* sums = lse.data_ptr<float>();
    for_each_head(t, head_width, kernel::attention_tangent_scratch(t.keys.longest(), head_width),
                  [&](const kernel::AttentionCall& call, int64_t head, Place at_q, Place at_k) {
                    const kernel::AttentionTangentGradients gradients{
                        room_at(in->q, room.q, at_q),       room_at(in->k, room.k, at_k),
                        room_at(in->v, room.v, at_k),       room_at(dots->q, dot_room.q, at_q),
                        room_at(dots->k, dot_room.k, at_k), room_at(dots->v, dot_room.v, at_k)};
                    kernel::attention_tangent_backward(call,
                                                       saved_at(*in, *dots, sums + head * rows + at_q.row, at_q, at_k),
                                                       rows_at(dy, at_q), rows_at(dy_dot, at_q), gradients);
                  });
    variable_list result = room.by_edge();
    for (const at::Tensor& gradient : dot_room.by_edge()) result.push_back(gradient);
    return result;
  }

  void release_variables() override { in.reset(), dots.reset(), lse.reset(); }
};

}  // namespace

at::Tensor attention_with_tangent(const Columns& q, const Columns& k, const Columns& v, const AttentionTerms& terms) {
  const AttentionInputs in(q, k, v), dots = tangents_of(in);
  AttentionValues values = attention_values(in, terms);
  at::Tensor dot_y = at::empty_like(values.y);
  const Columns joined(dot_y);
  const int64_t rows = dot_y.size(0), head_width = dot_y.size(1) / terms.heads;
  const float* sums = values.lse.data_ptr<float>();
  for_each_head(terms, head_width, kernel::attention_tangent_scratch(terms.keys.longest(), head_width),
                [&](const kernel::AttentionCall& call, int64_t head, Place at_q, Place at_k) {
                  kernel::attention_tangent_forward(call, saved_at(in, dots, sums + head * rows + at_q.row, at_q, at_k),
                                                    room_at(joined, dot_y, at_q));
                });
  if (wants_gradient(in.q.matrix, in.k.matrix, in.v.matrix, dots.q.matrix, dots.k.matrix, dots.v.matrix)) {
    TORCH_CHECK(terms.readers.empty(), "keys that several sequences read have no gradient here");
    const auto node = make_node<AttentionTangentBackward>(in.q.matrix, in.k.matrix, in.v.matrix, dots.q.matrix,
                                                          dots.k.matrix, dots.v.matrix);
    node->in = in;
    node->dots = dots;
    node->t = terms;
    node->lse = values.lse;
    torch::autograd::set_history(values.y, node);
    torch::autograd::set_history(dot_y, node);
  }
  set_tangent(values.y, dot_y);
  return values.y;
}

}  // namespace plumb::ops
