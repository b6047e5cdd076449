#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/kernel/row_names.h"
#include "plumb/memory/where.h"

namespace plumb::ops {

/// Where each sequence of a packed batch begins and ends: rows `begin(b) .. begin(b + 1)` of an `[N, D]` matrix are
/// sequence b. There is no padding anywhere; only attention looks at the sequences.
///
/// `samples` names each sequence (its index in the corpus), so that dropout does not depend on how a batch is packed.
/// A copy shares everything with the original: ops keep one for their backward pass.
class Packed {
 public:
  Packed() : Packed(std::vector<int64_t>()) {}
  /// From the length of each sequence, all at least 1. Without `samples` the sequences are called 0, 1, 2, ...
  explicit Packed(const std::vector<int64_t>& lengths, std::vector<int64_t> samples = {});

  /// `count` sequences of one row.
  static Packed single_rows(int64_t count) { return Packed(std::vector<int64_t>(static_cast<size_t>(count), 1)); }

  int64_t rows() const { return layout_->offsets.back(); }
  int64_t sequences() const { return static_cast<int64_t>(layout_->offsets.size()) - 1; }
  int64_t longest() const { return layout_->longest; }
  int64_t begin(int64_t sequence) const { return layout_->offsets[static_cast<size_t>(sequence)]; }
  int64_t length(int64_t sequence) const { return begin(sequence + 1) - begin(sequence); }
  const std::vector<int64_t>& samples() const { return layout_->samples; }

  /// Sample and position of each row, which is what dropout knows it by. Valid while a copy of this object lives.
  kernel::RowNames row_names() const { return {layout_->row_samples.data(), layout_->row_positions.data()}; }

  /// The position of each row in its own sequence. int64 [N]
  at::Tensor positions(const Where& where) const;
  /// The row of each token in a `[B * longest]` padded layout. int64 [N]
  at::Tensor padded_rows(const Where& where) const;
  /// Which places of the padded layout hold a token. bool [B, longest]
  at::Tensor occupied(const Where& where) const;

 private:
  struct Layout {
    std::vector<int64_t> offsets{0};
    std::vector<int64_t> samples;
    std::vector<int64_t> row_samples, row_positions;
    int64_t longest = 0;
  };
  std::shared_ptr<const Layout> layout_;
};

}  // namespace plumb::ops
