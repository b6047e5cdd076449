#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/attention.h"
#include "plumb/ops/attention.h"
#include "plumb/ops/fused/dropout.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {

/// The place of one head of one sequence in a matrix.
struct Place {
  int64_t row, column;
};

inline kernel::HeadRows rows_at(const Columns& c, const Place& place) {
  const int64_t stride = c.matrix.size(1);
  return {c.matrix.data_ptr<float>() + place.row * stride + c.first + place.column, stride};
}

/// The same place in a gradient of the matrix.
inline kernel::MutableHeadRows room_at(const Columns& c, const at::Tensor& gradient, const Place& place) {
  const int64_t stride = c.matrix.size(1);
  return {gradient.data_ptr<float>() + place.row * stride + c.first + place.column, stride};
}

/// Goes through all heads of all sequences: body(call, head, place of the queries, place of the keys). The call has
/// `scratch` floats.
template <class Body>
void for_each_head(const AttentionTerms& t, int64_t head_width, size_t scratch, const Body& body) {
  const PartScope scope(StepPart::Attention);
  const kernel::DropoutKey key = dropout_key(t.dropout);
  for_each_piece(t.queries.sequences() * t.heads, [&](int64_t piece) {
    thread_local std::vector<float> room;
    if (room.size() < scratch) room.resize(scratch);
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

/// Queries, keys and values. Two of them that lie in one matrix have their gradients in one, too.
struct AttentionInputs {
  Columns q, k, v;

  /// Contiguous. Throws if a matrix has columns that attention does not read.
  AttentionInputs(const Columns& q, const Columns& k, const Columns& v);

  /// Room for the gradients of the three.
  struct Gradients {
    at::Tensor q, k, v;

    /// Autograd adds up what comes to one input by several edges: each gradient goes by the first of them.
    std::vector<at::Tensor> by_edge() const;
  };
  Gradients room() const;
};

/// What attention makes of them: the joined heads and the logarithms of the softmax's sums, [H, N].
struct AttentionValues {
  at::Tensor y, lse;
};
AttentionValues attention_values(const AttentionInputs& in, const AttentionTerms& terms);

}  // namespace plumb::ops
