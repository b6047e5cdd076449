#include "plumb/ops/fused/embedding.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <ATen/ATen.h>

#include "plumb/kernel/embedding.h"
#include "plumb/ops/fused/dropout.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/indices.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {
namespace {

constexpr int64_t kIdsOfPiece = 256;

/// dtable[ids[row] + first] += scale * dropout(dout[row])
void scatter(const EmbeddingTerms& t, const int64_t* ids, double scale, const at::Tensor& dout, int64_t table_rows,
             float* dtable) {
  const int64_t rows = dout.size(0);
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t row) { return ids[row]; });
  const kernel::DropoutKey key = dropout_key(t.dropout);
  const kernel::EmbeddingBackward call{.scale = static_cast<float>(scale),
                                       .dropout = t.dropout.active() ? &key : nullptr,
                                       .names = t.rows.row_names(),
                                       .width = dout.size(1),
                                       .rows = rows,
                                       .ids = ids,
                                       .order = order.data(),
                                       .dout = dout.data_ptr<float>(),
                                       .dtable = dtable};
  for_each_chunk({table_rows, kIdsOfPiece},
                 [&](int64_t begin, int64_t end) { kernel::embedding_backward(call, begin, end); });
}

struct EmbeddingBackward : FusedNode {
  EmbeddingTerms t;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dout = outputs[0].contiguous();
    const ParameterGradient dtable(t.table, task_should_compute_output(0)),
        dpositions(t.positions, task_should_compute_output(1));
    if (dtable) scatter(t, t.ids.data_ptr<int64_t>(), t.scale, dout, t.table.size(0), dtable.data());
    if (dpositions) {
      scatter(t, t.rows.row_names().position, 1, dout, t.rows.longest(),
              dpositions.data() + t.first_position * dout.size(1));
    }
    return {dtable.for_autograd(), dpositions.for_autograd()};
  }

  void release_variables() override { t = {}; }
};

}  // namespace

at::Tensor embedding_fused(const EmbeddingTerms& t) {
  check_indices(t.ids, t.table.size(0), "token");
  const int64_t width = t.table.size(1);
  if (t.positions.defined()) {
    TORCH_CHECK(t.first_position + t.rows.longest() <= t.positions.size(0), "a sequence is longer than the positions");
  }
  at::Tensor out = at::empty({t.ids.size(0), width}, t.table.options());
  const kernel::DropoutKey key = dropout_key(t.dropout);
  const float* positions = data_or_null(t.positions);
  const kernel::EmbeddingForward call{.scale = static_cast<float>(t.scale),
                                      .dropout = t.dropout.active() ? &key : nullptr,
                                      .names = t.rows.row_names(),
                                      .width = width,
                                      .table = t.table.data_ptr<float>(),
                                      .ids = t.ids.data_ptr<int64_t>(),
                                      .positions = positions ? positions + t.first_position * width : nullptr,
                                      .out = out.data_ptr<float>()};
  for_each_chunk(row_chunks(out.size(0), width),
                 [&](int64_t begin, int64_t end) { kernel::embedding_forward(call, begin, end); });
  if (wants_gradient(t.table, t.positions)) {
    const auto node = make_node<EmbeddingBackward>(t.table, t.positions);
    node->t = t;
    torch::autograd::set_history(out, node);
  }
  return out;
}

}  // namespace plumb::ops
