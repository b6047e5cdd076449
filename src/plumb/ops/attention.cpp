#include "plumb/ops/attention.h"

#include <limits>

#include <ATen/ATen.h>

namespace plumb::ops {
namespace {

// [N, D] -> [B, H, longest, K], zeros where no token is.
at::Tensor pad(const at::Tensor& x, const Packed& rows, int64_t heads) {
  const int64_t places = rows.sequences() * rows.longest();
  const at::Tensor padded =
      at::zeros({places, x.size(1)}, x.options()).index_copy(0, rows.padded_rows().to(x.device()), x);
  return padded.view({rows.sequences(), rows.longest(), heads, x.size(1) / heads}).transpose(1, 2);
}

// The other way.
at::Tensor unpad(const at::Tensor& x, const Packed& rows) {
  const int64_t places = rows.sequences() * rows.longest();
  return x.transpose(1, 2).reshape({places, x.size(1) * x.size(3)}).index_select(0, rows.padded_rows().to(x.device()));
}

// True where a query must not look. Every row keeps at least one key, so -inf never fills a whole row.
at::Tensor forbidden(const Packed& queries, const Packed& keys, bool causal) {
  at::Tensor mask = keys.occupied().logical_not().view({keys.sequences(), 1, 1, keys.longest()});
  if (causal) {
    const at::Tensor future = at::ones({queries.longest(), keys.longest()}, at::kBool).triu(1);
    mask = mask.logical_or(future);
  }
  return mask;
}

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Packed& queries,
                     const Packed& keys, int64_t heads, double scale, bool causal, const Dropout& dropout) {
  TORCH_CHECK(queries.sequences() == keys.sequences(), queries.sequences(), " query sequences, but ", keys.sequences(),
              " key sequences");
  at::Tensor scores = at::matmul(pad(q, queries, heads) * scale, pad(k, keys, heads).transpose(2, 3));
  scores =
      scores.masked_fill(forbidden(queries, keys, causal).to(q.device()), -std::numeric_limits<double>::infinity());
  at::Tensor weights = scores.softmax(-1);  // [B, H, T, S]
  if (dropout.active())
    weights = weights * attention_keep(queries, keys, heads, dropout, weights.scalar_type()).to(q.device());
  return unpad(at::matmul(weights, pad(v, keys, heads)), queries);
}

}  // namespace plumb::ops
