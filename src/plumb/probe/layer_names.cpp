#include "plumb/probe/layer_names.h"

#include <charconv>

namespace plumb {

std::optional<LayerParameter> layer_parameter(std::string_view name) {
  constexpr std::string_view kLayers = ".layers.";
  const size_t found = name.find(kLayers);
  if (found == std::string_view::npos) return std::nullopt;
  const Stack stack = name.substr(0, found) == word(Stack::Encoder) ? Stack::Encoder : Stack::Decoder;
  const std::string_view rest = name.substr(found + kLayers.size());
  int index = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  if (error != std::errc() || end == rest.data() + rest.size()) return std::nullopt;
  std::string_view part = rest.substr(static_cast<size_t>(end - rest.data()) + 1);
  for (std::string_view ending : {".weight", ".bias"}) {
    if (part.ends_with(ending)) part.remove_suffix(ending.size());
  }
  return LayerParameter{stack, index + 1, std::string(part)};
}

}  // namespace plumb
