#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/ops/attention.h"

namespace plumb::ops {

/// Which row each hypothesis had at each position so far. Hypotheses of a search branch and end, and only this table
/// changes then: keys and values stay where they were written.
class Ancestry {
 public:
  /// One more position: hypothesis i writes row i.
  void append(int64_t hypotheses);
  /// Hypothesis i continues what hypothesis rows[i] was; as many go on as there are `rows`. int64
  void select(const at::Tensor& rows);

  int64_t positions() const { return static_cast<int64_t>(rows_.size()); }
  int64_t hypotheses() const { return positions() == 0 ? 0 : static_cast<int64_t>(rows_.back().size()); }
  const std::vector<int64_t>& rows_at(int64_t position) const { return rows_[static_cast<size_t>(position)]; }

 private:
  std::vector<std::vector<int64_t>> rows_;  // [position][hypothesis]
};

/// The keys and values of one self-attention, one entry for each position; rows as an Ancestry names them.
struct History {
  std::vector<Columns> keys, values;
};

/// softmax(scale * q k^T) v of each hypothesis over its own past, heads joined. q is [R, D]. No gradients.
at::Tensor attention_history(const Columns& q, const History& history, const Ancestry& ancestry, int64_t heads,
                             double scale);

}  // namespace plumb::ops
