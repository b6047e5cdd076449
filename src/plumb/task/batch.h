#pragma once

#include <span>
#include <vector>

#include "plumb/nn/tokens.h"

namespace plumb {

/// Examples as the model and its loss want them.
struct TrainingBatch {
  Batch inputs;
  at::Tensor targets;      // int64 [M]: the word of each scored row, or the class of each sequence
  at::Tensor scored = {};  // int64 [M]: rows of the last stack that have a target; undefined: all, in order
  at::Tensor labels = {};  // int64 [B]: a second thing to say about each sequence (BERT's next sentence)

  /// What the loss is a mean over.
  int64_t tokens() const { return targets.numel(); }
  /// Rows that the model reads, on both sides.
  int64_t source_rows() const { return inputs.source.rows.rows(); }
  int64_t target_rows() const { return inputs.target.rows.rows(); }

  TrainingBatch to(const Where& where) const;
};

/// Collects rows one sequence after another.
class Packer {
 public:
  void add(int64_t id) { ids_.push_back(id); }
  void add(std::span<const int32_t> ids) { ids_.insert(ids_.end(), ids.begin(), ids.end()); }
  void end_sequence(int64_t sample) {
    lengths_.push_back(rows() - begun_);
    begun_ = rows();
    samples_.push_back(sample);
  }
  int64_t rows() const { return static_cast<int64_t>(ids_.size()); }
  at::Tensor ids() const;
  Tokens tokens() const { return {ids(), ops::Packed(lengths_, samples_)}; }

 private:
  std::vector<int64_t> ids_, lengths_, samples_;
  int64_t begun_ = 0;
};

/// The first row of every sequence. int64 [B]
at::Tensor first_rows(const ops::Packed& rows, const Where& where);

}  // namespace plumb
