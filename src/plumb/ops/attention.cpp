#include "plumb/ops/attention.h"

#include <iterator>
#include <limits>

#include <ATen/ATen.h>

#include "plumb/ops/fused/attention.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent/attention.h"

namespace plumb::ops {
namespace {

// [B, T, D] -> [B, H, T, K]
at::Tensor split_heads(const at::Tensor& x, int64_t heads) {
  return x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

// [B, H, longest, K] -> [N, D]
at::Tensor join_heads(const at::Tensor& x, const Packed& rows) {
  const int64_t places = rows.sequences() * rows.longest();
  return x.transpose(1, 2).reshape({places, x.size(1) * x.size(3)}).index_select(0, rows.padded_rows(Where(x)));
}

// True where a query must not look. Every row keeps at least one key, so -inf never fills a whole row.
at::Tensor forbidden(const Packed& queries, const Packed& keys, bool causal, const Where& where) {
  at::Tensor mask = keys.occupied(where).logical_not().view({keys.sequences(), 1, 1, keys.longest()});
  if (causal) {
    const at::Tensor future = at::ones({queries.longest(), keys.longest()}, where.options(at::kBool)).triu(1);
    mask = mask.logical_or(future);
  }
  return mask;
}

// [N, D] -> [B, longest, D], zeros where no token is.
at::Tensor padded(const at::Tensor& x, const Packed& rows) {
  const int64_t places = rows.sequences() * rows.longest();
  return at::zeros({places, x.size(1)}, x.options())
      .index_copy(0, rows.padded_rows(Where(x)), x)
      .view({rows.sequences(), rows.longest(), x.size(1)});
}

at::Tensor reference(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionTerms& t) {
  const Packed &queries = t.queries, &keys = t.keys;
  const auto read = [&](const at::Tensor& by_sequence) {
    if (t.readers.empty()) return by_sequence;
    return by_sequence.index_select(0, Where(by_sequence).of(t.readers));
  };
  at::Tensor scores = at::matmul(split_heads(padded(q, queries), t.heads) * t.scale,
                                 split_heads(read(padded(k, keys)), t.heads).transpose(2, 3));
  const at::Tensor mask = read(forbidden(queries, keys, t.causal, Where(q)));
  scores = scores.masked_fill(mask, -std::numeric_limits<double>::infinity());
  at::Tensor weights = scores.softmax(-1);  // [B, H, T, S]
  if (t.dropout.active()) {
    weights = weights * attention_keep(queries, keys, t.heads, t.dropout, Where(weights));
  }
  return join_heads(at::matmul(weights, split_heads(read(padded(v, keys)), t.heads)), queries);
}

}  // namespace

at::Tensor attention(const Columns& q, const Columns& k, const Columns& v, const AttentionTerms& terms) {
  const int64_t read = terms.readers.empty() ? terms.keys.sequences() : std::ssize(terms.readers);
  TORCH_CHECK(terms.queries.sequences() == read, terms.queries.sequences(), " query sequences, but ", read,
              " key sequences");
  if (takes_tangent_path(q.matrix)) return attention_with_tangent(q, k, v, terms);
  if (takes_fused_path(q.matrix)) return attention_fused(q, k, v, terms);
  return reference(q.view(), k.view(), v.view(), terms);
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Packed& queries,
                     const Packed& keys, int64_t heads, double scale, bool causal, const Dropout& dropout) {
  return attention(Columns(q), Columns(k), Columns(v), {queries, keys, heads, scale, causal, dropout});
}

}  // namespace plumb::ops
