#include "plumb/nn/parts.h"

#include <algorithm>
#include <string_view>

namespace plumb {
namespace {

struct Pattern {
  std::string_view text;
  std::string_view part;
};

// The first pattern that a name contains decides. Norms come first: an inner norm lives inside its attention.
constexpr Pattern kPatterns[] = {
    {"norm", "norms"},
    {"_ln.", "norms"},
    {".embed", "embedding"},
    {".self_attn.", "self_attn"},
    {".encoder_attn.", "encoder_attn"},
    {".fc1.", "ffn"},
    {".fc2.", "ffn"},
    {".output_projection.", "output"},
};

}  // namespace

std::string part_of(const std::string& name) {
  const std::string stack = name.substr(0, name.find('.'));
  for (const Pattern& pattern : kPatterns) {
    if (name.find(pattern.text) != std::string::npos) return stack + ' ' + std::string(pattern.part);
  }
  return stack + " residual";
}

std::vector<Part> parameters_by_part(const ParameterStore& store) {
  std::vector<Part> parts;
  for (const auto& entry : store.entries()) {
    const std::string name = part_of(entry.spec.name);
    auto part = std::ranges::find(parts, name, &Part::name);
    if (part == parts.end()) part = parts.insert(parts.end(), {name, 0});
    part->parameters += entry.count;
  }
  return parts;
}

}  // namespace plumb
