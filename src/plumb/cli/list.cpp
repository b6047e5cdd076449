// plumb list TABLE [NAME]: the tables that everything else walks.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/commands.h"
#include "plumb/catalogue/initialisation.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/norms.h"
#include "plumb/catalogue/optimisers.h"
#include "plumb/catalogue/probes.h"
#include "plumb/catalogue/schedules.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/cli/list_variants.h"
#include "plumb/config/dump.h"
#include "plumb/config/fields.h"
#include "plumb/config/markdown.h"
#include "plumb/config/suggestion.h"
#include "plumb/runs/record_rows.h"

namespace plumb {
namespace {

using nlohmann::ordered_json;
using Row = std::vector<std::string>;

// Columns of sentences; the others hold names and formulas, which a document sets as code.
constexpr std::string_view kProse[] = {"summary", "paper", "reads", "needs", "numbers", "weights", "help", "better"};

/// A table of plain texts whose first column is the name. The terminal shows the first `shown` columns of the list;
/// everything else (one row, --json, --markdown) has them all.
struct Listing {
  std::string_view name;
  Row columns;
  std::vector<Row> rows;
  size_t shown = columns.size();
};

Listing inits() {
  Listing list{"inits", {"init", "weights"}, {}};
  for (size_t i = 0; i < words<Regime>().size(); ++i) {
    const auto regime = static_cast<Regime>(i);
    list.rows.push_back({std::string(word(regime)), std::string(description(regime))});
  }
  return list;
}

Listing all_norms() {
  Listing list{"norms", {"norm", "parameters", "epsilon", "formula"}, {}};
  for (const NormRow& row : norms()) {
    list.rows.push_back({std::string(row.name), parameters_in_words(row),
                         row.eps > 0 ? fmt::format("{}", row.eps) : "none", formula_with_first_values(row)});
  }
  return list;
}

Listing all_optimisers() {
  Listing list{"optimisers", {"optimiser", "summary", "update", "keys", "state"}, {}, 2};
  for (const OptimiserRow& row : optimisers()) {
    list.rows.push_back({std::string(row.name), std::string(row.summary), std::string(row.update),
                         fmt::format("{}", fmt::join(row.keys, ", ")), fmt::format("{}", fmt::join(row.state, ", "))});
  }
  return list;
}

Listing all_schedules() {
  Listing list{"schedules", {"schedule", "formula", "summary", "warmup", "keys"}, {}, 3};
  for (const ScheduleRow& row : schedules()) {
    list.rows.push_back({std::string(row.name), std::string(row.formula), std::string(row.summary),
                         fmt::format("for k < W: warmup_init_lr + k * (lr - warmup_init_lr) / W; W = {} unless "
                                     "schedule.warmup_updates says otherwise",
                                     row.warmup_updates),
                         fmt::format("{}", fmt::join(row.keys, ", "))});
  }
  return list;
}

Listing all_metrics() {
  Listing list{"metrics", {"metric", "better", "summary", "formula", "references"}, {}, 3};
  for (const MetricRow& row : metrics()) {
    list.rows.push_back({std::string(row.name), row.better == MetricRow::Better::Higher ? "higher" : "lower",
                         std::string(row.summary), std::string(row.formula), row.several_references ? "any" : "one"});
  }
  return list;
}

std::string meaning_of(const ProbeRow::Number& number) {
  if (number.only_where.empty()) return std::string(number.meaning);
  return fmt::format("{} (only if {})", number.meaning, number.only_where);
}

Listing all_probes() {
  Listing list{"probes", {"probe", "tier", "paper", "summary", "reads", "needs", "numbers"}, {}, 4};
  for (const ProbeRow& row : probes()) {
    std::string numbers;
    for (const ProbeRow::Number& number : row.numbers) {
      numbers += fmt::format("{}{}: {}", numbers.empty() ? "" : "; ", number.name, meaning_of(number));
    }
    list.rows.push_back({std::string(row.name), std::string(word(row.tier)), std::string(row.paper),
                         std::string(row.summary), std::string(row.reads),
                         row.needs == ProbeRow::Needs::Run ? "the checkpoints of a run" : "a config or a run",
                         numbers});
  }
  return list;
}

std::string_view shape_in_words(TaskRow::Shape shape) {
  switch (shape) {
    case TaskRow::Shape::Pairs:
      return "two texts, line by line";
    case TaskRow::Shape::Text:
      return "one text";
    case TaskRow::Shape::Labels:
      return "a table of labels and sentences";
    case TaskRow::Shape::Audio:
      break;
  }
  return "a table of audio files and transcripts";
}

Listing all_tasks() {
  Listing list{"tasks", {"task", "summary", "form", "reads", "metric", "built in", "paper"}, {}, 5};
  for (const TaskRow& row : tasks()) {
    list.rows.push_back({std::string(row.name), std::string(row.summary), std::string(word(row.form)),
                         std::string(shape_in_words(row.shape)), std::string(row.metric.empty() ? "loss" : row.metric),
                         std::string(word(row.built_in)), std::string(row.paper)});
  }
  return list;
}

Listing all_commands() {
  Listing list{"commands", {"command", "program", "summary", "usage", "example"}, {}, 3};
  for (const Command& row : commands()) {
    list.rows.push_back({std::string(row.name), row.program == Command::Program::Front ? "plumb" : "plumb-engine",
                         std::string(row.summary), fmt::format("plumb {} {}", row.name, row.usage),
                         std::string(row.example)});
  }
  return list;
}

Listing config_keys() {
  Listing list{"config", {"key", "default", "help", "takes"}, {}, 3};
  for (const FieldRow& row : field_rows()) list.rows.push_back({row.key(), row.default_value, row.help, row.type});
  return list;
}

std::string as_text(const Listing& list) {
  std::vector<Table::Column> columns;
  for (size_t i = 0; i < list.shown; ++i) columns.push_back({list.columns[i]});
  Table table(columns);
  for (Row row : list.rows) {
    row.resize(list.shown);
    table.add_row(std::move(row));
  }
  return table.to_string(kLineWidth);
}

std::string as_markdown(const Listing& list) {
  std::string text =
      fmt::format("# Plumb: {0}\n\nGenerated by `plumb list {0} --markdown`; do not edit.\n\n", list.name);
  text += markdown_header(list.columns);
  for (Row row : list.rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const bool prose = std::ranges::find(kProse, list.columns[i]) != std::end(kProse);
      row[i] = prose ? markdown_prose(row[i]) : markdown_code(row[i]);
    }
    text += markdown_row(row);
  }
  return text;
}

ordered_json as_json(const Listing& list, const Row& row) {
  ordered_json object;
  for (size_t i = 0; i < row.size(); ++i) object[i == 0 ? "name" : list.columns[i]] = row[i];
  return object;
}

std::string json_text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

struct ListRequest {
  std::string table, name;
  bool json = false, markdown = false;
};

[[noreturn]] void unknown_name(const ListRequest& request, const std::vector<std::string_view>& names) {
  throw UserError(fmt::format("list {}", request.table), fmt::format("there is no {}", request.name),
                  fmt::format("{}`plumb list {}` shows every name", did_you_mean(request.name, names), request.table));
}

std::string answer(const Listing& list, const ListRequest& request) {
  if (request.name.empty()) {
    if (request.markdown) return as_markdown(list);
    if (!request.json) return as_text(list);
    ordered_json rows = ordered_json::array();
    for (const Row& row : list.rows) rows.push_back(as_json(list, row));
    return json_text(rows);
  }
  std::vector<std::string_view> names;
  for (const Row& row : list.rows) {
    names.push_back(row[0]);
    if (row[0] != request.name) continue;
    if (request.json) return json_text(as_json(list, row));
    Table facts({{list.columns[0]}, {row[0]}});
    for (size_t i = 1; i < row.size(); ++i) facts.add_row({list.columns[i], row[i]});
    return facts.to_string(kLineWidth);
  }
  unknown_name(request, names);
}

std::string answer_variants(const ListRequest& request) {
  if (request.name.empty()) {
    if (request.markdown) return variants_markdown();
    return request.json ? json_text(variants_json()) : variants_text();
  }
  const Variant* row = find_variant(request.name);
  if (!row) unknown_name(request, {variant_names().begin(), variant_names().end()});
  return request.json ? json_text(variant_json(*row)) : variant_text(*row);
}

std::string probes_markdown() {
  std::string text =
      "# Plumb: probes\n\nGenerated by `plumb list probes --markdown`; do not edit.\n\n"
      "`plumb probe CONFIG_OR_RUN` measures a model before its first update, or a run's checkpoint: dropout is off, "
      "numbers are means over "
      "`probe.seeds` initialisations. A corpus that the config names is used; without one, tokens follow Zipf's law. "
      "Cheap probes take seconds, medium ones minutes for the models of the papers on two cores; heavy ones run with "
      "`--only`. "
      "`--out DIR` leaves every reading in `DIR/probe.jsonl`.\n";
  for (const ProbeRow& row : probes()) {
    text += fmt::format("\n## {}\n\n{} ({}; {}; reads {}{}).\n\n", row.name, row.summary, row.paper, word(row.tier),
                        row.reads,
                        row.needs == ProbeRow::Needs::Run ? "; needs a run"
                        : row.own_setting                 ? "; only if named"
                                                          : "");
    text += markdown_header({"number", "meaning"});
    for (const ProbeRow::Number& number : row.numbers) {
      text += markdown_row({markdown_code(number.name), markdown_prose(meaning_of(number))});
    }
  }
  return text;
}

std::string answer_probes(const ListRequest& request) {
  return request.markdown ? probes_markdown() : answer(all_probes(), request);
}

std::string answer_config(const ListRequest& request) {
  return request.markdown ? config_markdown() : answer(config_keys(), request);
}

Listing all_records() {
  Listing list{"run-directory", {"record", "field", "takes", "what it is"}, {}};
  std::vector<RecordRow> rows = record_rows();
  std::ranges::move(probe_record_rows(), std::back_inserter(rows));
  for (const RecordRow& row : rows) {
    for (const RecordRow::Field& field : row.fields) {
      list.rows.push_back({std::string(row.event.empty() ? row.type : row.event),
                           std::string(field.key.empty() ? "any other" : field.key), field.type,
                           std::string(field.help)});
    }
  }
  return list;
}

std::string answer_records(const ListRequest& request) {
  return request.markdown ? run_directory_markdown() : answer(all_records(), request);
}

struct ListedTable {
  std::string_view name;
  std::string (*answer)(const ListRequest& request);
};
constexpr ListedTable kTables[] = {{"variants", answer_variants},
                                   {"tasks", [](const ListRequest& r) { return answer(all_tasks(), r); }},
                                   {"inits", [](const ListRequest& r) { return answer(inits(), r); }},
                                   {"norms", [](const ListRequest& r) { return answer(all_norms(), r); }},
                                   {"optimisers", [](const ListRequest& r) { return answer(all_optimisers(), r); }},
                                   {"schedules", [](const ListRequest& r) { return answer(all_schedules(), r); }},
                                   {"metrics", [](const ListRequest& r) { return answer(all_metrics(), r); }},
                                   {"probes", answer_probes},
                                   {"commands", [](const ListRequest& r) { return answer(all_commands(), r); }},
                                   {"config", answer_config},
                                   {"run-directory", answer_records}};

}  // namespace

int list_command(int argc, char** argv) {
  std::vector<std::string_view> names;
  for (const ListedTable& table : kTables) names.push_back(table.name);
  const std::string choices = fmt::format("{}", fmt::join(names, ", "));

  ListRequest request;
  CLI::App app;
  app.add_option("TABLE", request.table, "one of " + choices)->required();
  app.add_option("NAME", request.name, "one row in detail");
  CLI::Option* json = app.add_flag("--json", request.json, "machine-readable");
  app.add_flag("--markdown", request.markdown, "the whole table as a document")->excludes(json)->excludes("NAME");
  if (!parse_arguments(app, argc, argv)) return 0;

  const auto table = std::ranges::find(kTables, request.table, &ListedTable::name);
  if (table == std::end(kTables)) {
    throw UserError("list", fmt::format("there is no table {}", request.table),
                    fmt::format("{}The tables are {}", did_you_mean(request.table, names), choices));
  }
  print(table->answer(request));
  return 0;
}

}  // namespace plumb
