#include "plumb/ops/fused/attention_history.h"

#include <ATen/ATen.h>

#include "plumb/kernel/attention_history.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {
namespace {

const float* row_of(const Columns& c, int64_t row) {
  return c.matrix.data_ptr<float>() + row * c.matrix.stride(0) + c.first;
}

}  // namespace

at::Tensor attention_history_fused(const Columns& q, const History& history, const Ancestry& ancestry, int64_t heads,
                                   double scale) {
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

}  // namespace plumb::ops
