#include "plumb/task/sentence_pair.h"

#include <algorithm>

#include <ATen/ATen.h>

namespace plumb {

void PairPacker::add(std::span<const int32_t> a, std::span<const int32_t> b, int64_t sample) {
  packer_.add(kCls);
  packer_.add(a);
  packer_.add(kSep);
  segments_.resize(static_cast<size_t>(packer_.rows()), 0);
  if (!b.empty()) {
    packer_.add(b);
    packer_.add(kSep);
    segments_.resize(static_cast<size_t>(packer_.rows()), 1);
  }
  packer_.end_sequence(sample);
}

Tokens PairPacker::tokens(int segments) const {
  Tokens tokens = packer_.tokens();
  if (segments == 0) return tokens;
  tokens.segments = Where().of(segments_).clamp_max(segments - 1);
  return tokens;
}

int64_t pair_rows(int64_t a, int64_t b) {
  return a + 2 + (b > 0 ? b + 1 : 0);
}

void shorten_pair(std::span<const int32_t>& a, std::span<const int32_t>& b, int64_t rows) {
  while (pair_rows(std::ssize(a), std::ssize(b)) > rows && a.size() + b.size() > 1) {
    std::span<const int32_t>& longer = a.size() >= b.size() ? a : b;
    longer = longer.first(longer.size() - 1);
  }
}

}  // namespace plumb
