#include "plumb/runs/record_json.h"

#include <string>

#include <nlohmann/json.hpp>

#include "plumb/runs/record_fields.h"

namespace plumb {
namespace {

using nlohmann::json;

using record_fields::kTypeKey;
constexpr char kEventKey[] = "event", kUpdateKey[] = "update", kReasonKey[] = "reason";

template <class Record>
json object_of(const Record& record) {
  json object = json::object();
  if constexpr (IsEvent<Record>) {
    object[kTypeKey] = kEventType;
    object[kEventKey] = Record::kEvent;
  } else {
    object[kTypeKey] = Record::kType;
  }
  record_fields::put_all(object, record);
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
  record_fields::take_all(object, {kTypeKey, kEventKey}, record);
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
