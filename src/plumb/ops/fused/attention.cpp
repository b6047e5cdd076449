#include "plumb/ops/fused/attention.h"

#include <optional>

#include <ATen/ATen.h>

#include "plumb/ops/fused/attention_heads.h"
#include "plumb/ops/fused/fused_node.h"

namespace plumb::ops {
namespace {

struct AttentionBackward : FusedNode {
  std::optional<AttentionInputs> in;
  AttentionTerms t;
  AttentionValues values;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dy = outputs[0].contiguous();
    const int64_t head_width = dy.size(1) / t.heads, rows = dy.size(0);
    const Columns joined(values.y), slope(dy);
    const AttentionInputs::Gradients room = in->room();
    const float* sums = values.lse.data_ptr<float>();
    for_each_head(t, head_width, kernel::attention_scratch(t.keys.longest(), head_width),
                  [&](const kernel::AttentionCall& call, int64_t head, Place at_q, Place at_k) {
                    const kernel::AttentionSaved saved{rows_at(in->q, at_q), rows_at(in->k, at_k), rows_at(in->v, at_k),
                                                       rows_at(joined, at_q), sums + head * rows + at_q.row};
                    kernel::attention_backward(call, saved, rows_at(slope, at_q), room_at(in->q, room.q, at_q),
                                               room_at(in->k, room.k, at_k), room_at(in->v, room.v, at_k));
                  });
    return room.by_edge();
  }

  void release_variables() override { in.reset(), values = {}; }
};

}  // namespace

at::Tensor attention_fused(const Columns& q, const Columns& k, const Columns& v, const AttentionTerms& terms) {
  const AttentionInputs in(q, k, v);
  AttentionValues values = attention_values(in, terms);
  if (!wants_gradient(in.q.matrix, in.k.matrix, in.v.matrix)) return values.y;
  TORCH_CHECK(terms.readers.empty(), "keys that several sequences read have no gradient here");
  const auto node = make_node<AttentionBackward>(in.q.matrix, in.k.matrix, in.v.matrix);
  node->in = in;
  node->t = terms;
  node->values = {detached(values.y), values.lse};
  torch::autograd::set_history(values.y, node);
  return values.y;
}

}  // namespace plumb::ops
