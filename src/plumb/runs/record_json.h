#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include <nlohmann/json_fwd.hpp>

#include "plumb/runs/log_records.h"

namespace plumb {

/// One line of log.jsonl as an object. NaN and infinities survive to_json_line() as words.
nlohmann::json to_json(const LogRecord& record);

/// The way back. Nothing if it is no record: an object with a text `type` and an integer `update`. A field that is
/// absent or of another type is not there; it is no reason to refuse the others.
std::optional<LogRecord> record_of(const nlohmann::json& value);

/// The key of a field: key_of(&TrainRecord::loss) is "loss".
template <class Record, class Field>
std::string_view key_of(Field Record::*member) {
  static const Record kOne;
  std::string_view key;
  Record::fields(kOne, [&](std::string_view name, const auto& field, std::string_view) {
    if (static_cast<const void*>(&field) == static_cast<const void*>(&(kOne.*member))) key = name;
  });
  return key;
}

/// Calls visit(key, value) for every number of a record that is there.
template <class Record, class Visit>
void for_each_number(const Record& record, Visit&& visit) {
  Record::fields(record, [&](std::string_view key, const auto& field, std::string_view) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, Number> || std::is_same_v<Field, Count>) {
      if (field) visit(key, static_cast<double>(*field));
    } else if constexpr (std::is_same_v<Field, OtherNumbers>) {
      for (const auto& [name, value] : field) visit(std::string_view(name), value);
    }
  });
}

}  // namespace plumb
