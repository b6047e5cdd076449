#include "plumb/kernel/attention_tangent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/attention_tangent.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/attention_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

/// The scratch: a transposed panel [K, W], then matrices with a row for each key and a column for each query, [S, W].
struct Room {
  Room(const AttentionCall& call)
      : transposed(aligned(call.scratch)),
        p(transposed + call.width * panel_width()),
        r(p + call.keys * panel_width()),
        u(r + call.keys * panel_width()),
        w(u + call.keys * panel_width()),
        f(w + call.keys * panel_width()) {}

  float *transposed, *p, *r, *u, *w, *f;
};

/// c = or += a times the transposed panel.
HWY_INLINE void times_panel(const AttentionCall& call, const Panel& panel, HeadRows a, const float* transposed,
                            float* c, bool add) {
  multiply<Left::Rows>({.m = panel.keys,
                        .n = panel_columns(panel),
                        .k = call.width,
                        .a = a.data,
                        .lda = a.stride,
                        .b = transposed,
                        .ldb = panel_width(),
                        .c = c,
                        .ldc = panel_width(),
                        .add = add});
}

/// Rows of the panel's queries: out = or += c^T x, with c [S, W] and x a row for each key.
HWY_INLINE void to_queries(const AttentionCall& call, const Panel& panel, const float* c, HeadRows x,
                           MutableHeadRows out, bool add) {
  multiply<Left::Columns>({.m = panel.rows,
                           .n = call.width,
                           .k = panel.keys,
                           .a = c,
                           .lda = panel_width(),
                           .b = x.data,
                           .ldb = x.stride,
                           .c = out.data + panel.begin * out.stride,
                           .ldc = out.stride,
                           .add = add});
}

/// Rows of the keys that the panel sees: out += c x, with x a row for each query.
HWY_INLINE void to_keys(const AttentionCall& call, const Panel& panel, const float* c, HeadRows x,
                        MutableHeadRows out) {
  multiply<Left::Rows>({.m = panel.keys,
                        .n = call.width,
                        .k = panel.rows,
                        .a = c,
                        .lda = panel_width(),
                        .b = x.data + panel.begin * x.stride,
                        .ldb = x.stride,
                        .c = out.data,
                        .ldc = out.stride,
                        .add = true});
}

/// body(key, offset) for the keys of a panel.
template <class Body>
HWY_INLINE void down_the_keys(const Panel& panel, const Body& body) {
  for (int64_t s = 0; s < panel.keys; ++s) body(s, s * panel_width());
}

/// Fills P, R and F of a panel. P is zero where a query does not look; R is of no use there, but finite.
HWY_INLINE void weights_and_turns(const AttentionCall& call, const AttentionTangentSaved& x, const Panel& panel,
                                  const Room& room) {
  const Tag d;
  transpose_panel(x.q, panel, call.width, call.scale, room.transposed);
  times_panel(call, panel, x.k, room.transposed, room.p, /*add=*/false);
  times_panel(call, panel, x.dot_k, room.transposed, room.r, /*add=*/false);
  transpose_panel(x.dot_q, panel, call.width, call.scale, room.transposed);
  times_panel(call, panel, x.k, room.transposed, room.r, /*add=*/true);
  for (int64_t i = 0; i < panel_columns(panel); i += vector_lanes()) {
    visit_keys<false>(call, panel.begin + i, 0, panel.keys, [&](int64_t s, Vector factor, auto) HWY_ATTR {
      hn::StoreU(factor, d, room.f + s * panel_width() + i);
    });
  }
  HWY_ALIGN float lse[2 * kMostLanes];
  for (int64_t i = 0; i < panel_columns(panel); ++i) lse[i] = x.lse[panel.begin + std::min(i, panel.rows - 1)];
  for (int64_t i = 0; i < panel_columns(panel); i += vector_lanes()) {
    const int64_t first_query = panel.begin + i;
    const int64_t all_see = call.causal ? std::min(panel.keys, first_query) : panel.keys;
    const Vector l = hn::Load(d, lse + i), base = hn::Set(d, kLog2E);
    Vector mean = hn::Zero(d);
    down_the_keys(panel, [&](int64_t s, int64_t at) HWY_ATTR {
      Vector p = power_of_two(hn::Mul(hn::Sub(hn::LoadU(d, room.p + at + i), l), base));
      if (s >= all_see) p = hn::IfThenElseZero(sees(first_query, s), p);
      hn::StoreU(p, d, room.p + at + i);
      mean = hn::MulAdd(p, hn::LoadU(d, room.r + at + i), mean);
    });
    down_the_keys(panel, [&](int64_t, int64_t at) HWY_ATTR {
      hn::StoreU(hn::Sub(hn::LoadU(d, room.r + at + i), mean), d, room.r + at + i);
    });
  }
}

/// U and W, still without F -> scale dS' and scale dS; P -> F P and R -> F P'.
HWY_INLINE void score_slopes(const AttentionCall& call, const Panel& panel, const Room& room) {
  const Tag d;
  const Vector scale = hn::Set(d, call.scale);
  for (int64_t i = 0; i < panel_columns(panel); i += vector_lanes()) {
    Vector mean_u = hn::Zero(d), mean = hn::Zero(d);
    down_the_keys(panel, [&](int64_t, int64_t at) HWY_ATTR {
      const Vector u = hn::Mul(hn::LoadU(d, room.u + at + i), hn::LoadU(d, room.f + at + i));
      mean_u = hn::MulAdd(hn::LoadU(d, room.p + at + i), u, mean_u);
      hn::StoreU(u, d, room.u + at + i);
    });
    down_the_keys(panel, [&](int64_t, int64_t at) HWY_ATTR {
      const Vector p = hn::LoadU(d, room.p + at + i), r = hn::LoadU(d, room.r + at + i);
      const Vector kept = hn::Mul(p, hn::LoadU(d, room.f + at + i));
      const Vector slope = hn::Mul(p, hn::Sub(hn::LoadU(d, room.u + at + i), mean_u));
      const Vector sum = hn::MulAdd(kept, hn::LoadU(d, room.w + at + i), hn::Mul(r, slope));
      mean = hn::Add(mean, sum);
      hn::StoreU(hn::Mul(slope, scale), d, room.u + at + i);
      hn::StoreU(sum, d, room.w + at + i);
      hn::StoreU(hn::Mul(kept, r), d, room.r + at + i);
    });
    down_the_keys(panel, [&](int64_t, int64_t at) HWY_ATTR {
      const Vector p = hn::LoadU(d, room.p + at + i);
      const Vector slope = hn::NegMulAdd(p, mean, hn::LoadU(d, room.w + at + i));
      hn::StoreU(hn::Mul(slope, scale), d, room.w + at + i);
      hn::StoreU(hn::Mul(p, hn::LoadU(d, room.f + at + i)), d, room.p + at + i);
    });
  }
}

HWY_INLINE void panel_backward(const AttentionCall& call, const AttentionTangentSaved& x, HeadRows dy, HeadRows dy_dot,
                               const AttentionTangentGradients& g, const Panel& panel, const Room& room) {
  weights_and_turns(call, x, panel, room);
  transpose_panel(dy_dot, panel, call.width, 1, room.transposed);
  times_panel(call, panel, x.v, room.transposed, room.u, /*add=*/false);
  times_panel(call, panel, x.dot_v, room.transposed, room.w, /*add=*/false);
  transpose_panel(dy, panel, call.width, 1, room.transposed);
  times_panel(call, panel, x.v, room.transposed, room.w, /*add=*/true);
  score_slopes(call, panel, room);
  to_queries(call, panel, room.w, x.k, g.q, /*add=*/false);
  to_queries(call, panel, room.u, x.dot_k, g.q, /*add=*/true);
  to_queries(call, panel, room.u, x.k, g.dot_q, /*add=*/false);
  to_keys(call, panel, room.w, x.q, g.k);
  to_keys(call, panel, room.u, x.dot_q, g.k);
  to_keys(call, panel, room.u, x.q, g.dot_k);
  to_keys(call, panel, room.p, dy, g.v);
  to_keys(call, panel, room.r, dy_dot, g.v);
  to_keys(call, panel, room.p, dy_dot, g.dot_v);
}

}  // namespace

size_t attention_tangent_scratch_target(int64_t keys, int64_t width) {
  return static_cast<size_t>((width + 5 * keys) * panel_width()) + kCacheLine / sizeof(float);
}

void attention_tangent_forward_target(const AttentionCall& call, const AttentionTangentSaved& x,
                                      MutableHeadRows dot_y) {
  const Tag d;
  const Room room(call);
  for (int64_t begin = 0; begin < call.queries; begin += panel_width()) {
    const Panel panel = panel_at(call, begin);
    weights_and_turns(call, x, panel, room);
    for (int64_t i = 0; i < panel_columns(panel); i += vector_lanes()) {
      down_the_keys(panel, [&](int64_t, int64_t at) HWY_ATTR {
        const Vector kept = hn::Mul(hn::LoadU(d, room.p + at + i), hn::LoadU(d, room.f + at + i));
        hn::StoreU(hn::Mul(kept, hn::LoadU(d, room.r + at + i)), d, room.r + at + i);
        hn::StoreU(kept, d, room.p + at + i);
      });
    }
    to_queries(call, panel, room.r, x.v, dot_y, /*add=*/false);
    to_queries(call, panel, room.p, x.dot_v, dot_y, /*add=*/true);
  }
}

void attention_tangent_backward_target(const AttentionCall& call, const AttentionTangentSaved& x, HeadRows dy,
                                       HeadRows dy_dot, const AttentionTangentGradients& g) {
  for (int64_t s = 0; s < call.keys; ++s) {
    for (const MutableHeadRows& rows : {g.k, g.v, g.dot_k, g.dot_v}) {
      std::fill_n(rows.data + s * rows.stride, call.width, 0.0F);
    }
  }
  const Room room(call);
  for (int64_t begin = 0; begin < call.queries; begin += panel_width()) {
    panel_backward(call, x, dy, dy_dot, g, panel_at(call, begin), room);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(attention_tangent_scratch_target);
HWY_EXPORT(attention_tangent_forward_target);
HWY_EXPORT(attention_tangent_backward_target);

size_t attention_tangent_scratch(int64_t keys, int64_t width) {
  return HWY_DYNAMIC_DISPATCH(attention_tangent_scratch_target)(keys, width);
}

void attention_tangent_forward(const AttentionCall& call, const AttentionTangentSaved& saved, MutableHeadRows dot_y) {
  HWY_DYNAMIC_DISPATCH(attention_tangent_forward_target)(call, saved, dot_y);
}

void attention_tangent_backward(const AttentionCall& call, const AttentionTangentSaved& saved, HeadRows dy,
                                HeadRows dy_dot, const AttentionTangentGradients& gradients) {
  HWY_DYNAMIC_DISPATCH(attention_tangent_backward_target)(call, saved, dy, dy_dot, gradients);
}

}  // namespace plumb::kernel
#endif
