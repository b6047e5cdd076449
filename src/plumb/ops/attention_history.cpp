#include "plumb/ops/attention_history.h"

#include <numeric>

#include <ATen/ATen.h>

#include "plumb/kernel/attention_history.h"
#include "plumb/ops/fused/parallel.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

const float* row_of(const Columns& c, int64_t row) {
  return c.matrix.data_ptr<float>() + row * c.matrix.stride(0) + c.first;
}

at::Tensor fused(const Columns& q, const History& history, const Ancestry& ancestry, int64_t heads, double scale) {
  const int64_t hypotheses = q.matrix.size(0), count = ancestry.positions(), width = q.count / heads;
  at::Tensor y = at::empty({hypotheses, q.count}, q.matrix.options());
  for_each_chunk({hypotheses, 16}, [&](int64_t begin, int64_t end) {
    std::vector<const float*> keys(static_cast<size_t>(count)), values(static_cast<size_t>(count));
    std::vector<float> scratch(static_cast<size_t>(count));
    const kernel::HistoryCall call{.count = count,
                                   .width = width,
                                   .scale = static_cast<float>(scale),
                                   .keys = keys.data(),
                                   .values = values.data(),
                                   .scratch = scratch.data()};
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t head = 0; head < heads; ++head) {
        for (size_t t = 0; t < keys.size(); ++t) {
          const int64_t own = ancestry.rows_at(static_cast<int64_t>(t))[static_cast<size_t>(row)];
          keys[t] = row_of(history.keys[t], own) + head * width;
          values[t] = row_of(history.values[t], own) + head * width;
        }
        kernel::attend_history(call, row_of(q, row) + head * width, y.data_ptr<float>() + row * q.count + head * width);
      }
    }
  });
  return y;
}

// [R, H, T, K]
at::Tensor gathered(const std::vector<Columns>& parts, const Ancestry& ancestry, int64_t heads) {
  std::vector<at::Tensor> rows;
  for (size_t t = 0; t < parts.size(); ++t) {
    const at::Tensor own = at::tensor(ancestry.rows_at(static_cast<int64_t>(t)), at::kLong);
    rows.push_back(parts[t].view().index_select(0, own.to(parts[t].matrix.device())));
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
  const auto* from = rows.data_ptr<int64_t>();
  for (std::vector<int64_t>& position : rows_) {
    std::vector<int64_t> selected(static_cast<size_t>(rows.numel()));
    for (size_t i = 0; i < selected.size(); ++i) selected[i] = position[static_cast<size_t>(from[i])];
    position = std::move(selected);
  }
}

at::Tensor attention_history(const Columns& q, const History& history, const Ancestry& ancestry, int64_t heads,
                             double scale) {
  TORCH_CHECK(ancestry.positions() == std::ssize(history.keys) && ancestry.hypotheses() == q.matrix.size(0),
              "the history has ", history.keys.size(), " positions, the ancestry ", ancestry.positions(), " of ",
              ancestry.hypotheses(), " hypotheses, but there are ", q.matrix.size(0));
  return takes_fused_path(q.matrix) ? fused(q, history, ancestry, heads, scale)
                                    : reference(q, history, ancestry, heads, scale);
}

}  // namespace plumb::ops
