#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/runs/log_records.h"
#include "plumb/runs/probe_records.h"

/// Between the fields that a record lists and an object of JSON. For the files of runs/ that read and write records.
namespace plumb::record_fields {

using nlohmann::json;

inline constexpr char kTypeKey[] = "type";

// ---- writing ----

template <class T>
void put(json& object, std::string_view key, const T& value) {
  if constexpr (std::is_same_v<T, OtherNumbers> || std::is_same_v<T, OtherTexts>) {
    json& place = key.empty() ? object : (object[std::string(key)] = json::object());
    for (const auto& [name, one] : value) place[name] = one;
  } else if constexpr (std::is_same_v<T, RunOutcome>) {
    object[std::string(key)] = outcome_name(value);
  } else {
    object[std::string(key)] = value;
  }
}

template <class T>
void put(json& object, std::string_view key, const std::optional<T>& value) {
  if (value) put(object, key, *value);
}

template <class Record>
void put_all(json& object, const Record& record) {
  Record::fields(record, [&](std::string_view key, const auto& field, std::string_view) { put(object, key, field); });
}

// ---- reading: whether the value is of the field's type ----

inline std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  try {
    return number_of_json(value);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

inline bool take(const json& value, Number& field) {
  field = number_in(value);
  return field.has_value();
}

inline bool take(const json& value, Count& field) {
  constexpr double kExact = 1LL << 53;
  if (value.is_number_integer()) {
    field = value.get<int64_t>();
  } else if (value.is_number_float() && std::abs(value.get<double>()) < kExact) {
    field = static_cast<int64_t>(value.get<double>());
  }
  return field.has_value();
}

inline bool take(const json& value, int64_t& field) {
  Count count;
  const bool fits = take(value, count);
  field = count.value_or(field);
  return fits;
}

inline bool take(const json& value, std::string& field) {
  if (value.is_string()) field = value.get<std::string>();
  return value.is_string();
}

inline bool take(const json& value, std::vector<std::string>& field) {
  if (!value.is_array()) return false;
  bool fits = true;
  for (const json& line : value) fits &= take(line, field.emplace_back());
  return fits;
}

inline bool take(const json& value, Numbers& field) {
  if (!value.is_array()) return false;
  bool fits = true;
  for (const json& one : value) {
    const std::optional<double> number = number_in(one);
    fits &= number.has_value();
    field.push_back(number.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return fits;
}

inline bool take(const json& value, std::optional<RunOutcome>& field) {
  if (value.is_string()) field = parse_outcome(value.get_ref<const std::string&>());
  return field.has_value();
}

inline bool take(const json& value, json& field) {
  field = value;
  return true;
}

template <class T>
bool take(const json& value, std::optional<T>& field) {
  return take(value, field.emplace());
}

/// What a record does not list, as far as it is of the kind that the field holds.
inline void take_others(const json& object, const std::set<std::string_view>& but, OtherNumbers& field) {
  for (const auto& [key, value] : object.items()) {
    if (but.contains(key)) continue;
    if (const std::optional<double> number = number_in(value)) field[key] = *number;
  }
}

inline void take_others(const json& object, const std::set<std::string_view>& but, OtherTexts& field) {
  for (const auto& [key, value] : object.items()) {
    if (!but.contains(key) && value.is_string()) field[key] = value.get<std::string>();
  }
}

/// Into a record that is empty; false if a field is of another type. `but`: keys that are not fields.
template <class Record>
bool take_all(const json& object, std::set<std::string_view> but, Record& record) {
  Record::fields(record, [&](std::string_view key, const auto&, std::string_view) { but.insert(key); });
  bool fits = true;
  Record::fields(record, [&](std::string_view key, auto& field, std::string_view) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const auto found = object.find(std::string(key));
    if constexpr (std::is_same_v<Field, OtherNumbers> || std::is_same_v<Field, OtherTexts>) {
      if (key.empty()) {
        take_others(object, but, field);
      } else if (found != object.end() && found->is_object()) {
        take_others(*found, {}, field);
      }
    } else if (found != object.end()) {
      fits &= take(*found, field);
    }
  });
  return fits;
}

}  // namespace plumb::record_fields
