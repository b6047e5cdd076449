#pragma once

#include <string>
#include <string_view>

/// A score means little without how it was computed. A signature says it in sacreBLEU's notation, but with our own name
/// as the version: "compat-2.6.0" is the sacreBLEU whose numbers ours equal.
namespace plumb {

inline constexpr std::string_view kVersion = "version:plumb-" PLUMB_VERSION;
inline constexpr std::string_view kSacrebleuVersion = "version:plumb-" PLUMB_VERSION "-compat-2.6.0";

/// "nrefs:1|case:mixed|...": `settings` is what a metric says of its options, its version included; `resampling`, if
/// any, stands where sacreBLEU puts it.
inline std::string signature(size_t references, std::string_view settings, std::string_view resampling = {}) {
  std::string text = "nrefs:" + std::to_string(references) + '|';
  if (!resampling.empty()) text.append(resampling) += '|';
  return text.append(settings);
}

}  // namespace plumb
