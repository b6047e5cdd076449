// Attention of one head, backward. Included once for each target, hence no pragma.
//
// With P the softmax, f the factors of the dropout and dP_ts = dy_t v_s:
//
//     dv_s = sum_t f_ts P_ts dy_t
//     dS_ts = scale P_ts (f_ts dP_ts - delta_t),  delta_t = sum_s P_ts f_ts dP_ts = dy_t y_t
//     dq_t = sum_s dS_ts k_s,  dk_s = sum_t dS_ts q_t

#include <algorithm>
#include <cstdint>

#include "plumb/kernel/attention.h"

#if defined(PLUMB_KERNEL_ATTENTION_BACKWARD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_ATTENTION_BACKWARD_INL_H
#undef PLUMB_KERNEL_ATTENTION_BACKWARD_INL_H
#else
#define PLUMB_KERNEL_ATTENTION_BACKWARD_INL_H
#endif

#include <hwy/highway.h>

#include "plumb/kernel/attention_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_INLINE float dot(const float* a, const float* b, int64_t n) {
  const Tag d;
  Vector sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + vector_lanes() <= n; i += vector_lanes()) sum = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

/// Queries begin .. end - 1: panels whose weights and gradients are kept together, so that dk and dv are added up over
/// many queries at a time. Both matrices have a row for each key and `ld` columns.
struct Block {
  int64_t begin, end, ld;
  float *weights, *dscores;  // f P and dS
};

/// Scores and dP of one vector of queries -> f P and dS.
HWY_INLINE void softmax_backward(const AttentionCall& call, const Panel& panel, int64_t first_query, int64_t ld,
                                 float* weights, float* dscores, const float* lse, const float* delta) {
  const Tag d;
  const Vector l = hn::LoadU(d, lse), mean = hn::LoadU(d, delta), scale = hn::Set(d, call.scale);
  const Sight sight = sight_of(call, panel, first_query);
  for_each_key(call, first_query, sight, [&](int64_t s, Vector factor, auto partly) HWY_ATTR {
    float *const w = weights + s * ld, *const ds = dscores + s * ld;
    const Vector p = power_of_two(hn::Sub(hn::LoadU(d, w), l));
    Vector weight = hn::Mul(p, factor);
    Vector dscore = hn::Mul(hn::Mul(p, scale), hn::MulSub(hn::LoadU(d, ds), factor, mean));
    if constexpr (partly) {
      weight = hn::IfThenElseZero(sees(first_query, s), weight);
      dscore = hn::IfThenElseZero(sees(first_query, s), dscore);
    }
    hn::StoreU(weight, d, w);
    hn::StoreU(dscore, d, ds);
  });
  for (int64_t s = sight.end; s < panel.keys; ++s) {
    hn::StoreU(hn::Zero(d), d, weights + s * ld);
    hn::StoreU(hn::Zero(d), d, dscores + s * ld);
  }
}

/// Fills the columns of the panel in the block. `transposed` has room for [K, W].
HWY_INLINE void panel_backward(const AttentionCall& call, const AttentionSaved& x, HeadRows dy, const Panel& panel,
                               const Block& block, float* transposed) {
  const int64_t W = panel_width(), columns = panel_columns(panel);
  float* const weights = block.weights + (panel.begin - block.begin);
  float* const dscores = block.dscores + (panel.begin - block.begin);
  const auto times_transposed = [&](HeadRows a, float* c) HWY_ATTR {
    multiply<Left::Rows>({.m = panel.keys,
                          .n = columns,
                          .k = call.width,
                          .a = a.data,
                          .lda = a.stride,
                          .b = transposed,
                          .ldb = W,
                          .c = c,
                          .ldc = block.ld});
  };
  transpose_panel(x.q, panel, call.width, call.scale * kLog2E, transposed);
  times_transposed(x.k, weights);
  transpose_panel(dy, panel, call.width, 1, transposed);
  times_transposed(x.v, dscores);
  HWY_ALIGN float lse[2 * kMostLanes], delta[2 * kMostLanes];
  for (int64_t i = 0; i < columns; ++i) {
    const int64_t t = panel.begin + std::min(i, panel.rows - 1);
    lse[i] = x.lse[t] * kLog2E;
    delta[i] = dot(dy.data + t * dy.stride, x.y.data + t * x.y.stride, call.width);
  }
  for (int64_t i = 0; i < columns; i += vector_lanes()) {
    softmax_backward(call, panel, panel.begin + i, block.ld, weights + i, dscores + i, lse + i, delta + i);
  }
}

/// out_s = or += sum_t a[s, t] b_t over the queries t of the block, for every key s that one of them sees. Of keys that
/// begin a panel, or come after it, queries before that panel see nothing.
HWY_INLINE void add_queries(const AttentionCall& call, const Block& block, const float* a, HeadRows b,
                            MutableHeadRows out) {
  const int64_t seen = call.causal ? std::min(call.keys, block.end) : call.keys;
  const int64_t step = call.causal ? panel_width() : call.keys;
  for (int64_t key = 0; key < seen; key += step) {
    const int64_t first = call.causal ? std::max(block.begin, key) : block.begin;
    multiply<Left::Rows>({.m = std::min(step, seen - key),
                          .n = call.width,
                          .k = block.end - first,
                          .a = a + key * block.ld + (first - block.begin),
                          .lda = block.ld,
                          .b = b.data + first * b.stride,
                          .ldb = b.stride,
                          .c = out.data + key * out.stride,
                          .ldc = out.stride,
                          .add = block.begin > key});
  }
}

HWY_INLINE void block_backward(const AttentionCall& call, const AttentionSaved& x, HeadRows dy, const Block& block,
                               float* transposed, MutableHeadRows dq, MutableHeadRows dk, MutableHeadRows dv) {
  for (int64_t begin = block.begin; begin < block.end; begin += panel_width()) {
    const Panel panel = panel_at(call, begin);
    panel_backward(call, x, dy, panel, block, transposed);
    multiply<Left::Columns>({.m = panel.rows,
                             .n = call.width,
                             .k = panel.keys,
                             .a = block.dscores + (begin - block.begin),
                             .lda = block.ld,
                             .b = x.k.data,
                             .ldb = x.k.stride,
                             .c = dq.data + begin * dq.stride,
                             .ldc = dq.stride});
  }
  add_queries(call, block, block.weights, dy, dv);
  add_queries(call, block, block.dscores, x.q, dk);
}

HWY_INLINE void backward(const AttentionCall& call, const AttentionSaved& x, HeadRows dy, MutableHeadRows dq,
                         MutableHeadRows dk, MutableHeadRows dv) {
  const int64_t W = panel_width();
  const int64_t room = kBlockFloats / (2 * W * std::max(call.keys, int64_t{1}));
  const int64_t panels = std::max(int64_t{1}, std::min(room, (call.queries + W - 1) / W));
  float* const transposed = aligned(call.scratch);     // [K, W]
  float* const weights = transposed + call.width * W;  // [S, ld]
  Block block{.begin = 0, .end = 0, .ld = panels * W, .weights = weights, .dscores = weights + call.keys * panels * W};
  for (; block.begin < call.queries; block.begin += block.ld) {
    block.end = std::min(call.queries, block.begin + block.ld);
    block_backward(call, x, dy, block, transposed, dq, dk, dv);
  }
  const int64_t seen = call.causal || call.queries == 0 ? call.queries : call.keys;
  for (int64_t s = seen; s < call.keys; ++s) {
    std::fill_n(dk.data + s * dk.stride, call.width, 0.0F);
    std::fill_n(dv.data + s * dv.stride, call.width, 0.0F);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_ATTENTION_BACKWARD_INL_H
