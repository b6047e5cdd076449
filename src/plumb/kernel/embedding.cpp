#include "plumb/kernel/embedding.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/embedding.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_FLATTEN void embedding_forward_target(const EmbeddingForward& call, int64_t begin, int64_t end) {
  const Vector scale = hn::Set(Tag(), call.scale);
  for (int64_t row = begin; row < end; ++row) {
    const float* word = call.table + call.ids[row] * call.width;
    const float* position = call.positions ? call.positions + call.names.position[row] * call.width : nullptr;
    float* out = call.out + row * call.width;
    sweep_kept(call.dropout, call.names, row, call.width, [&](auto part, int64_t i, Vector keep) {
      Vector v = hn::Mul(part.load(word + i), scale);
      if (position) v = hn::Add(v, part.load(position + i));
      part.store(hn::Mul(v, keep), out + i);
    });
  }
}

/// `order` holds the rows of the ids that the call covers.
HWY_FLATTEN void embedding_backward_target(const EmbeddingBackward& call, const int64_t* order, int64_t count) {
  const Vector scale = hn::Set(Tag(), call.scale);
  for (int64_t k = 0; k < count; ++k) {
    const float* dout = call.dout + order[k] * call.width;
    float* sum = call.dtable + call.ids[order[k]] * call.width;
    sweep_kept(call.dropout, call.names, order[k], call.width, [&](auto part, int64_t i, Vector keep) {
      part.store(hn::MulAdd(hn::Mul(part.load(dout + i), keep), scale, part.load(sum + i)), sum + i);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(embedding_forward_target);
HWY_EXPORT(embedding_backward_target);

void embedding_forward(const EmbeddingForward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(embedding_forward_target)(call, begin, end);
}

void embedding_backward(const EmbeddingBackward& call, int64_t begin, int64_t end) {
  const int64_t *order = call.order, *behind = call.order + call.rows;
  const auto is_before = [&](int64_t row, int64_t id) { return call.ids[row] < id; };
  const int64_t* first = std::lower_bound(order, behind, begin, is_before);
  const int64_t* last = std::lower_bound(first, behind, end, is_before);
  HWY_DYNAMIC_DISPATCH(embedding_backward_target)(call, first, last - first);
}

}  // namespace plumb::kernel
#endif
