#include "plumb/catalogue/norms.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace plumb {
namespace {

using Learned = NormRow::Learned;
constexpr auto kPerFeature = Learned::Size::Features, kSingle = Learned::Size::One;

// clang-format off
constexpr NormRow kNorms[] = {
    {.kind = NormKind::Layer, .name = "layer", .formula = "weight * (x - mean) / sqrt(variance + eps) + bias", .eps = 1e-5,
     .weight = {kPerFeature, 1}, .bias = Learned{kPerFeature, 0}, .tangent_kernel = true},
    {.kind = NormKind::Rms, .name = "rms", .formula = "weight * x / sqrt(mean(x^2) + eps)", .eps = 1e-6,
     .weight = {kPerFeature, 1}, .tangent_kernel = true},
    {.kind = NormKind::Scale, .name = "scale", .formula = "weight * x / max(|x|, eps)", .eps = 1e-5,
     .weight = {kSingle, 1, /*times_root_width=*/true}},
    {.kind = NormKind::Dyt, .name = "dyt", .formula = "weight * tanh(alpha * x) + bias",
     .weight = {kPerFeature, 1}, .bias = Learned{kPerFeature, 0}, .alpha = Learned{kSingle, 0.5}, .linear = false},
};
// clang-format on

constexpr bool in_the_order_of_the_enum() {
  for (size_t i = 0; i < std::size(kNorms); ++i) {
    if (static_cast<size_t>(kNorms[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_the_order_of_the_enum());

constexpr auto kNormNames = [] {
  std::array<std::string_view, std::size(kNorms)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kNorms[i].name;
  return names;
}();

std::string first_in_words(const Learned& part) {
  if (!part.times_root_width) return fmt::format("{}", part.first);
  return part.first == 1 ? "sqrt(n)" : fmt::format("{} sqrt(n)", part.first);
}

}  // namespace

double NormRow::Learned::first_value(int64_t width) const {
  return times_root_width ? first * std::sqrt(static_cast<double>(width)) : first;
}

std::span<const NormRow> norms() {
  return kNorms;
}

const NormRow& norm_row(NormKind kind) {
  return kNorms[static_cast<size_t>(kind)];
}

template <>
std::span<const std::string_view> words<NormKind>() {
  return kNormNames;
}

std::string parameters_in_words(const NormRow& row) {
  int vectors = 0, scalars = 0;
  const auto count = [&](const Learned& part) { ++(part.size == kPerFeature ? vectors : scalars); };
  count(row.weight);
  if (row.bias) count(*row.bias);
  if (row.alpha) count(*row.alpha);
  if (vectors == 0) return fmt::format("{}", scalars);
  const std::string of_width = vectors == 1 ? "n" : fmt::format("{}n", vectors);
  return scalars == 0 ? of_width : fmt::format("{} + {}", of_width, scalars);
}

std::string formula_with_first_values(const NormRow& row) {
  std::string text(row.formula);
  const auto add = [&](std::string_view name, const Learned& part) {
    text += fmt::format(", {} = {} initially", name, first_in_words(part));
  };
  if (row.weight.first != 1 || row.weight.times_root_width) add("weight", row.weight);
  if (row.bias && row.bias->first != 0) add("bias", *row.bias);
  if (row.alpha) add("alpha", *row.alpha);
  return text;
}

}  // namespace plumb
