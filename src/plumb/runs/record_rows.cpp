#include "plumb/runs/record_rows.h"

#include <fmt/format.h>

#include "plumb/catalogue/run_files.h"
#include "plumb/config/markdown.h"
#include "plumb/runs/log_records.h"
#include "plumb/runs/probe_records.h"

namespace plumb {
namespace {

template <class Field>
std::string field_type(std::string_view key) {
  if constexpr (std::is_same_v<Field, int64_t> || std::is_same_v<Field, Count>) {
    return "integer";
  } else if constexpr (std::is_same_v<Field, Number>) {
    return "number";
  } else if constexpr (std::is_same_v<Field, Numbers> || std::is_same_v<Field, std::optional<Numbers>>) {
    return "list of numbers";
  } else if constexpr (std::is_same_v<Field, OtherTexts>) {
    return "text";
  } else if constexpr (std::is_same_v<Field, nlohmann::json>) {
    return "object";
  } else if constexpr (std::is_same_v<Field, OtherNumbers>) {
    return key.empty() ? "number" : "numbers by name";
  } else if constexpr (std::is_same_v<Field, std::string> || std::is_same_v<Field, std::optional<std::string>>) {
    return "text";
  } else if constexpr (std::is_same_v<Field, std::optional<RunOutcome>>) {
    return fmt::format("{}, {}, {}, {}", outcome_name(RunOutcome::Finished), outcome_name(RunOutcome::Stuck),
                       outcome_name(RunOutcome::Diverged), outcome_name(RunOutcome::Interrupted));
  } else {
    return "list of texts";
  }
}

template <class Record>
RecordRow row_of() {
  RecordRow row{.type = kEventType, .event = {}, .when = Record::kHelp, .fields = {}};
  if constexpr (IsEvent<Record>) {
    row.event = Record::kEvent;
  } else {
    row.type = Record::kType;
  }
  const Record empty;
  Record::fields(empty, [&](std::string_view key, const auto& field, std::string_view help) {
    row.fields.push_back({key, field_type<std::remove_cvref_t<decltype(field)>>(key), help});
  });
  return row;
}

template <class AnyRecord, size_t... Index>
std::vector<RecordRow> rows_of(std::index_sequence<Index...>) {
  std::vector<RecordRow> rows;
  const auto add = [&]<class Record>(std::type_identity<Record>) {
    if constexpr (IsKnown<Record>) rows.push_back(row_of<Record>());
  };
  (add(std::type_identity<std::variant_alternative_t<Index, AnyRecord>>{}), ...);
  return rows;
}

std::string fields_table(const RecordRow& row) {
  std::string text = markdown_header({"field", "takes", "what it is"});
  for (const RecordRow::Field& field : row.fields) {
    text +=
        markdown_row({field.key.empty() ? "any other" : markdown_code(field.key), field.type, std::string(field.help)});
  }
  return text;
}

std::string section(const RecordRow& row) {
  const std::string name =
      row.event.empty() ? markdown_code(row.type) : fmt::format("`{}` with `event` = `{}`", row.type, row.event);
  return fmt::format("\n### {}\n\nWhen: {}.\n\n{}", name, row.when, fields_table(row));
}

}  // namespace

std::vector<RecordRow> record_rows() {
  return rows_of<LogRecord>(std::make_index_sequence<std::variant_size_v<LogRecord>>());
}

std::vector<RecordRow> probe_record_rows() {
  return rows_of<ProbeRecord>(std::make_index_sequence<std::variant_size_v<ProbeRecord>>());
}

std::string run_directory_markdown() {
  std::string text = "## Files\n\n" + markdown_header({"path", "what it is"});
  for (const RunFileRow& row : run_files()) text += markdown_row({markdown_code(row.path), std::string(row.what)});
  text += fmt::format(
      "\n## Records of {}\n\nEvery record has `type` and `update`. Numbers that are not finite are the "
      "strings `\"NaN\"`, `\"Infinity\"`, `\"-Infinity\"`.\n",
      kLogFile);
  for (const RecordRow& row : record_rows()) text += section(row);
  text += fmt::format("\n## Records of {}\n\nEvery record has `type`. Numbers are written as in `{}`.\n", kProbeFile,
                      kLogFile);
  for (const RecordRow& row : probe_record_rows()) text += section(row);
  return text;
}

}  // namespace plumb
