#include "plumb/store/place.h"

namespace plumb {

ParameterPlace ParameterPlace::inside(std::string_view inner) const {
  ParameterPlace place = *this;
  place.module += '.';
  place.module += inner;
  return place;
}

std::string ParameterPlace::name(std::string_view tensor) const {
  std::string result = layer ? layer_name(stack, *layer) : std::string(word(stack));
  result += '.';
  result += module;
  if (!tensor.empty()) {
    result += '.';
    result += tensor;
  }
  return result;
}

std::string ParameterPlace::stack_part() const {
  std::string result(word(stack));
  result += ' ';
  result += part;
  return result;
}

std::string layer_name(Stack stack, int layer) {
  return std::string(word(stack)) + ".layers." + std::to_string(layer);
}

}  // namespace plumb
