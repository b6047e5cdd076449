#include "plumb/runs/probe_records.h"

#include <fmt/format.h>

#include "plumb/base/json_depth.h"
#include "plumb/runs/record_fields.h"

namespace plumb {
namespace {

using nlohmann::json;

/// The record of the list that has this name; `Index` counts on.
template <size_t Index = 0>
std::optional<ProbeRecord> read_probe_record(const json& object, std::string_view type, FieldReading reading) {
  if constexpr (Index < std::variant_size_v<ProbeRecord>) {
    using Record = std::variant_alternative_t<Index, ProbeRecord>;
    if (type != Record::kType) return read_probe_record<Index + 1>(object, type, reading);
    Record record;
    const bool fits = record_fields::take_all(object, {record_fields::kTypeKey}, record);
    if (fits || reading == FieldReading::Tolerant) return record;
  }
  return std::nullopt;
}

}  // namespace

json to_json(const ProbeRecord& record) {
  return std::visit(
      [](const auto& one) {
        json object = {{record_fields::kTypeKey, one.kType}};
        record_fields::put_all(object, one);
        return object;
      },
      record);
}

std::optional<ProbeRecord> probe_record_of(const json& value, FieldReading reading) {
  if (!value.is_object() || deeper_than(value, kDeepestJson)) return std::nullopt;
  const auto type = value.find(record_fields::kTypeKey);
  // Records that were kept of older measurements are curves, and do not say so.
  if (type == value.end()) return read_probe_record(value, CurveRecord::kType, reading);
  return type->is_string() ? read_probe_record(value, type->get_ref<const std::string&>(), reading) : std::nullopt;
}

bool is_reading(std::string_view line) {
  static const std::string kMark = fmt::format("\"{}\":\"{}\"", record_fields::kTypeKey, ReadingRecord::kType);
  return line.find(kMark) != std::string_view::npos;
}

}  // namespace plumb
