#include "plumb/ops/attention_history.h"

#include <numeric>
#include <utility>

#include <ATen/ATen.h>

#include "plumb/ops/fused/attention_history.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

// [R, H, T, K]
at::Tensor gathered(const std::vector<Columns>& parts, const Ancestry& ancestry, int64_t heads) {
  std::vector<at::Tensor> rows;
  for (size_t t = 0; t < parts.size(); ++t) {
    const Where where(parts[t].matrix);
    rows.push_back(parts[t].view().index_select(0, where.of(ancestry.rows_at(static_cast<int64_t>(t)))));
  }
  const at::Tensor all = at::stack(rows, 1);  // [R, T, D]
  return all.view({all.size(0), all.size(1), heads, -1}).transpose(1, 2);
}

at::Tensor reference(const Columns& q, const History& history, const Ancestry& ancestry, int64_t heads, double scale) {
  const at::Tensor queries = q.view().reshape({q.matrix.size(0), heads, 1, -1});
  const at::Tensor scores = at::matmul(queries * scale, gathered(history.keys, ancestry, heads).transpose(2, 3));
  return at::matmul(scores.softmax(-1), gathered(history.values, ancestry, heads)).reshape({q.matrix.size(0), q.count});
}

}  // namespace

void Ancestry::append(int64_t hypotheses) {
  rows_.emplace_back(static_cast<size_t>(hypotheses));
  std::iota(rows_.back().begin(), rows_.back().end(), 0);
}

void Ancestry::select(const at::Tensor& rows) {
  const std::vector<int64_t> from = numbers_of<int64_t>(rows);
  for (std::vector<int64_t>& position : rows_) {
    std::vector<int64_t> selected(from.size());
    for (size_t i = 0; i < selected.size(); ++i) selected[i] = position[static_cast<size_t>(from[i])];
    position = std::move(selected);
  }
}

at::Tensor attention_history(const Columns& q, const History& history, const Ancestry& ancestry, int64_t heads,
                             double scale) {
  TORCH_CHECK(ancestry.positions() == std::ssize(history.keys) && ancestry.hypotheses() == q.matrix.size(0),
              "the history has ", history.keys.size(), " positions, the ancestry ", ancestry.positions(), " of ",
              ancestry.hypotheses(), " hypotheses, but there are ", q.matrix.size(0));
  return takes_fused_path(q.matrix) ? attention_history_fused(q, history, ancestry, heads, scale)
                                    : reference(q, history, ancestry, heads, scale);
}

}  // namespace plumb::ops
