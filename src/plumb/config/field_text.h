#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/catalogue/terms.h"

/// How the types of fields look in TOML and in sentences. A new type of field needs its lines here and an `assign`
/// in assign.cpp; nothing else knows the types.
namespace plumb {

template <class T>
struct IsAuto : std::false_type {};
template <class T>
struct IsAuto<std::optional<T>> : std::true_type {};

/// Several numbers in one field: std::vector for any count, std::array for one count.
template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T, size_t N>
struct IsList<std::array<T, N>> : std::true_type {
  static constexpr size_t kCount = N;
};
template <class T>
concept FixedList = requires {
  IsList<T>::kCount;
};

std::string quoted(std::string_view text);  // a TOML basic string
std::string float_text(double value);       // the shortest that reads back equal, and never an integer
std::string joined(std::span<const std::string_view> names);

template <class T>
std::string toml_text(const T& value) {
  if constexpr (IsAuto<T>::value) {
    return value ? toml_text(*value) : plumb::quoted("auto");
  } else if constexpr (IsList<T>::value) {
    std::string text;
    for (const auto& item : value) text += (text.empty() ? "" : ", ") + toml_text(item);
    return "[" + text + "]";
  } else if constexpr (std::is_enum_v<T>) {
    return plumb::quoted(word(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return float_text(value);
  } else {
    return plumb::quoted(value);
  }
}

/// What a field takes, for tables: "integer", "relu, gelu", "true, false or auto".
template <class T>
std::string type_text() {
  if constexpr (IsAuto<T>::value) {
    return type_text<typename T::value_type>() + ", auto";
  } else if constexpr (FixedList<T>) {
    return "list of " + std::to_string(IsList<T>::kCount) + " " + type_text<typename T::value_type>() + "s";
  } else if constexpr (IsList<T>::value) {
    return "list of " + type_text<typename T::value_type>() + "s";
  } else if constexpr (std::is_enum_v<T>) {
    return joined(words<T>());
  } else if constexpr (std::is_same_v<T, bool>) {
    return "true, false";
  } else if constexpr (std::is_integral_v<T>) {
    return "integer";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "number";
  } else {
    return "text";
  }
}

}  // namespace plumb
