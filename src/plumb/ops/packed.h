#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// Where each sequence of a packed batch begins and ends: rows `offsets[b] .. offsets[b+1]` of an `[N, D]` matrix are
/// sequence b. There is no padding anywhere; only attention looks at the offsets.
///
/// `samples` names each sequence (its index in the corpus), so that dropout does not depend on how a batch is packed.
class Packed {
 public:
  Packed() = default;
  /// From the length of each sequence, all at least 1. Without `samples` the sequences are called 0, 1, 2, ...
  explicit Packed(const std::vector<int64_t>& lengths, std::vector<int64_t> samples = {});

  int64_t rows() const { return offsets_.back(); }
  int64_t sequences() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t longest() const { return longest_; }
  int64_t begin(int64_t sequence) const { return offsets_[sequence]; }
  int64_t length(int64_t sequence) const { return offsets_[sequence + 1] - offsets_[sequence]; }
  const std::vector<int64_t>& samples() const { return samples_; }

  /// The position of each row in its own sequence. int64 [N]
  at::Tensor positions() const;
  /// The row of each token in a `[B * longest]` padded layout. int64 [N]
  at::Tensor padded_rows() const;
  /// Which places of the padded layout hold a token. bool [B, longest]
  at::Tensor occupied() const;

 private:
  std::vector<int64_t> offsets_{0};
  std::vector<int64_t> samples_;
  int64_t longest_ = 0;
};

}  // namespace plumb::ops
