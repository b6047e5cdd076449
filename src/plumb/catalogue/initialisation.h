#pragma once

#include <cstdint>
#include <string_view>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// How the first values of one tensor are drawn.
struct Fill {
  enum class Kind { Constant, Uniform, Normal, TruncatedNormal };
  enum class Mirror { None, Rows, Columns };  // the second half is minus the first half (LookLinear)

  Kind kind = Kind::Constant;
  double value = 0;  // the constant, the bound of the uniform, or sigma (truncation is at 3 sigma)
  Mirror mirror = Mirror::None;

  double standard_deviation() const;
  Fill scaled(double factor) const;
};

/// mathematics.md 1.3: the base distribution of a weight, before the multipliers of a variant.
/// `fan_out` and `fan_in` are the rows and columns of the matrix (of the matrix a bias belongs to).
Fill base_fill(Regime regime, Role role, const Place& place, int fan_out, int fan_in, bool truncated);

/// Glorot & Bengio 2010, as torch's xavier_uniform_: for matrices that no regime speaks of.
Fill xavier_uniform(int64_t fan_out, int64_t fan_in);

/// One sentence on each regime, for `plumb list inits` and the documents.
std::string_view description(Regime regime);

}  // namespace plumb
