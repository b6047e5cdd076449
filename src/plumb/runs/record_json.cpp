#include "plumb/runs/record_json.h"

#include <cmath>
#include <set>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"

namespace plumb {
namespace {

using nlohmann::json;

constexpr char kTypeKey[] = "type", kEventKey[] = "event", kUpdateKey[] = "update", kReasonKey[] = "reason";

// ---- one field ----

void put_field(json& object, std::string_view key, const OtherNumbers& numbers) {
  json& place = key.empty() ? object : (object[std::string(key)] = json::object());
  for (const auto& [name, value] : numbers) place[name] = value;
}

void put_field(json& object, std::string_view key, RunOutcome outcome) {
  object[std::string(key)] = outcome_name(outcome);
}

template <class T>
void put_field(json& object, std::string_view key, const T& value) {
  object[std::string(key)] = value;
}

template <class T>
void put_field(json& object, std::string_view key, const std::optional<T>& value) {
  if (value) put_field(object, key, *value);
}

std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  try {
    return number_of_json(value);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void take_field(const json& value, Number& field) {
  field = number_in(value);
}

void take_field(const json& value, Count& field) {
  constexpr double kExact = 1LL << 53;
  if (value.is_number_integer()) {
    field = value.get<int64_t>();
  } else if (value.is_number_float() && std::abs(value.get<double>()) < kExact) {
    field = static_cast<int64_t>(value.get<double>());
  }
}

void take_field(const json& value, int64_t& field) {
  Count count;
  take_field(value, count);
  field = count.value_or(field);
}

void take_field(const json& value, std::string& field) {
  if (value.is_string()) field = value.get<std::string>();
}

void take_field(const json& value, std::vector<std::string>& field) {
  if (!value.is_array()) return;
  for (const json& line : value) field.push_back(line.is_string() ? line.get<std::string>() : std::string());
}

void take_field(const json& value, std::optional<RunOutcome>& field) {
  if (value.is_string()) field = parse_outcome(value.get_ref<const std::string&>());
}

template <class T>
void take_field(const json& value, std::optional<T>& field) {
  take_field(value, field.emplace());
}

void take_numbers(const json& object, const std::set<std::string_view>& but, OtherNumbers& field) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    if (but.contains(key)) continue;
    if (const std::optional<double> number = number_in(value)) field[key] = *number;
  }
}

// ---- one record ----

template <class Record>
json object_of(const Record& record) {
  json object = json::object();
  if constexpr (IsEvent<Record>) {
    object[kTypeKey] = kEventType;
    object[kEventKey] = Record::kEvent;
  } else {
    object[kTypeKey] = Record::kType;
  }
  Record::fields(record,
                 [&](std::string_view key, const auto& field, std::string_view) { put_field(object, key, field); });
  return object;
}

json object_of(const OtherEvent& record) {
  return {{kTypeKey, kEventType}, {kEventKey, record.event}, {kUpdateKey, record.update}, {kReasonKey, record.reason}};
}

json object_of(const OtherRecord& record) {
  return {{kTypeKey, record.type}, {kUpdateKey, record.update}};
}

template <class Record>
Record read_fields(const json& object) {
  Record record;
  std::set<std::string_view> own = {kTypeKey, kEventKey};
  Record::fields(record, [&](std::string_view key, auto& field, std::string_view) {
    using Field = std::remove_cvref_t<decltype(field)>;
    own.insert(key);
    const auto found = object.find(std::string(key));
    if constexpr (std::is_same_v<Field, OtherNumbers>) {
      if (key.empty()) {
        take_numbers(object, own, field);
      } else if (found != object.end()) {
        take_numbers(*found, {}, field);
      }
    } else if (found != object.end()) {
      take_field(*found, field);
    }
  });
  return record;
}

/// The first record of the list that has this name; `Index` counts on.
template <size_t Index = 0>
std::optional<LogRecord> read_named(const json& object, const std::string& type, const std::string& event) {
  if constexpr (Index < std::variant_size_v<LogRecord>) {
    using Record = std::variant_alternative_t<Index, LogRecord>;
    if constexpr (IsEvent<Record>) {
      if (type == kEventType && event == Record::kEvent) return read_fields<Record>(object);
    } else if constexpr (IsKnown<Record>) {
      if (type == Record::kType) return read_fields<Record>(object);
    }
    return read_named<Index + 1>(object, type, event);
  }
  return std::nullopt;
}

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

json to_json(const LogRecord& record) {
  return std::visit([](const auto& one) { return object_of(one); }, record);
}

std::optional<LogRecord> record_of(const json& value) {
  if (!value.is_object()) return std::nullopt;
  const auto type = value.find(kTypeKey), update = value.find(kUpdateKey);
  if (type == value.end() || !type->is_string() || update == value.end() || !update->is_number_integer()) {
    return std::nullopt;
  }
  const std::string& name = type->get_ref<const std::string&>();
  const std::string event = text_at(value, kEventKey);
  if (std::optional<LogRecord> known = read_named(value, name, event)) return known;
  const auto at = update->get<int64_t>();
  if (name == kEventType) return OtherEvent{at, event, text_at(value, kReasonKey)};
  return OtherRecord{at, name};
}

}  // namespace plumb
