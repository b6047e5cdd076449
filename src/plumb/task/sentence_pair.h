#pragma once

#include <span>
#include <vector>

#include "plumb/catalogue/special_ids.h"
#include "plumb/task/batch.h"

namespace plumb {

/// BERT's names for two of the special ids.
inline constexpr int32_t kCls = kBos, kSep = kEos;

/// One or two sentences as an encoder reads them: [CLS] a [SEP], or [CLS] a [SEP] b [SEP], and which of the two each
/// row belongs to.
class PairPacker {
 public:
  void add(std::span<const int32_t> a, std::span<const int32_t> b, int64_t sample);

  int64_t rows() const { return packer_.rows(); }
  /// With segments only if the model has `segments` of them.
  Tokens tokens(int segments) const;

 private:
  Packer packer_;
  std::vector<int64_t> segments_;
};

/// Rows that a pair takes; a second sentence that is empty takes none.
int64_t pair_rows(int64_t a, int64_t b);

/// Shortens the longer one, and then both in turn, until the pair takes at most `rows`.
void shorten_pair(std::span<const int32_t>& a, std::span<const int32_t>& b, int64_t rows);

}  // namespace plumb
