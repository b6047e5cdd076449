#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// One kind of norm: `model.norm`. ops/norm.cpp defines what it computes, kernel/norm-inl.h computes it fast; whatever
/// else depends on the kind is said here.
struct NormRow {
  /// A learned part: one number for each feature, or one for all of them.
  struct Learned {
    enum class Size { Features, One };
    Size size = Size::Features;
    double first = 0;               // its initial value
    bool times_root_width = false;  // ... times sqrt(n)

    int64_t numbers(int64_t width) const { return size == Size::One ? 1 : width; }
    double first_value(int64_t width) const;
  };

  NormKind kind;
  std::string_view name;
  std::string_view formula;
  double eps = 0;  // unless model.norm_eps says otherwise; 0: the formula has none
  Learned weight;
  std::optional<Learned> bias = {}, alpha = {};
  /// Whether norm(x) - bias is linear in x for fixed statistics, so that it can be applied to each term of a sum.
  bool linear = true;
  /// Whether kernel/norm_tangent.cpp carries tangents through it.
  bool tangent_kernel = false;

  /// Whether a factor of each feature can be multiplied into the weight (nn/fold.h).
  bool takes_feature_scales() const { return weight.size == Learned::Size::Features; }
};

/// Every kind, in the order of NormKind.
std::span<const NormRow> norms();
const NormRow& norm_row(NormKind kind);

/// How many numbers it learns at width n: "2n + 1".
std::string parameters_in_words(const NormRow& row);

/// The formula, and where its parts start if that is neither 1 (weight) nor 0 (bias).
std::string formula_with_first_values(const NormRow& row);

template <>
std::span<const std::string_view> words<NormKind>();

}  // namespace plumb
