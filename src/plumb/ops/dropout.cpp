#include "plumb/ops/dropout.h"

#include <ATen/ATen.h>

#include "plumb/base/random_stream.h"

namespace plumb::ops {
namespace {

/// Decides about a line of elements, four from each call of the generator.
class Keeper {
 public:
  explicit Keeper(const Dropout& d)
      : key_(split(splitmix64(splitmix64(splitmix64(d.seed) ^ d.step) ^ d.site))),
        threshold_(static_cast<uint64_t>(d.p * 4294967296.0)),
        scale_(1 / (1 - d.p)) {}

  /// factors[i] = 0 or 1 / (1 - p) for element i of the line named (sample, position, lane).
  void line(uint64_t sample, uint32_t position, uint32_t lane, double* factors, int64_t n) const {
    // A sample id above 2^32 would need more counter bits: the rest goes through the key.
    const PhiloxKey key{key_[0], key_[1] ^ static_cast<uint32_t>(sample >> 32)};
    for (int64_t i = 0; i < n; i += 4) {
      const PhiloxCounter bits =
          philox4x32({static_cast<uint32_t>(i / 4), position, static_cast<uint32_t>(sample), lane}, key);
      for (int64_t j = i; j < std::min(i + 4, n); ++j) factors[j] = bits[j - i] < threshold_ ? 0 : scale_;
    }
  }

 private:
  static PhiloxKey split(uint64_t key) { return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)}; }

  PhiloxKey key_;
  uint64_t threshold_;
  double scale_;
};

}  // namespace

at::Tensor dropout(const at::Tensor& x, const Packed& rows, const Dropout& dropout) {
  if (!dropout.active()) return x;
  const Keeper keeper(dropout);
  at::Tensor factors = at::empty(x.sizes(), at::kDouble);
  double* line = factors.data_ptr<double>();
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    for (int64_t t = 0; t < rows.length(b); ++t, line += x.size(1)) {
      keeper.line(static_cast<uint64_t>(rows.samples()[b]), static_cast<uint32_t>(t), 0, line, x.size(1));
    }
  }
  return x * factors.to(x.options());
}

at::Tensor attention_keep(const Packed& queries, const Packed& keys, int64_t heads, const Dropout& dropout,
                          at::ScalarType dtype) {
  const Keeper keeper(dropout);
  at::Tensor factors = at::ones({queries.sequences(), heads, queries.longest(), keys.longest()}, at::kDouble);
  double* line = factors.data_ptr<double>();
  for (int64_t b = 0; b < queries.sequences(); ++b) {
    const auto sample = static_cast<uint64_t>(queries.samples()[b]);
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t t = 0; t < queries.longest(); ++t, line += keys.longest()) {
        keeper.line(sample, static_cast<uint32_t>(t), static_cast<uint32_t>(h), line, keys.length(b));
      }
    }
  }
  return factors.to(dtype);
}

}  // namespace plumb::ops
