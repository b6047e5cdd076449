#include "plumb/reproduce/entry.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/config/difference.h"
#include "plumb/config/load.h"
#include "plumb/reproduce/toml_table.h"
#include "plumb/sweep/read_sweep.h"

namespace plumb::reproduce {
namespace {

namespace fs = std::filesystem;

// Files that an entry names stand beside it or above: reproduce/liu/L-T1.toml says ../sweep/depth.toml.
std::vector<fs::path> beside(const fs::path& file, const TomlTable& table, const char* key) {
  std::vector<fs::path> paths;
  for (const std::string& name : table.texts(key)) {
    const fs::path path = (file.parent_path() / name).lexically_normal();
    if (!fs::exists(path)) throw UserError(table.where(key), "there is no " + path.string(), "Check the path");
    paths.push_back(path);
  }
  return paths;
}

ProbeStep probe_of(const TomlTable& table) {
  table.allow_only({"name", "config", "sweep", "arm", "seed", "checkpoint", "set", "only", "compare"});
  ProbeStep step{.name = table.text("name"),
                 .config = table.text("config"),
                 .sweep = table.text("sweep"),
                 .arm = table.text("arm"),
                 .checkpoint = table.text("checkpoint"),
                 .seed = static_cast<int64_t>(table.number("seed", 1)),
                 .set = table.texts("set"),
                 .only = table.texts("only"),
                 .compare = table.texts("compare")};
  if (step.config.empty() == (step.sweep.empty() || step.arm.empty())) {
    throw UserError(table.where("config"), "a probe is of a config, or of a run",
                    "Write config = \"...\", or sweep = \"...\" and arm = \"...\"");
  }
  if (step.only.empty()) throw UserError(table.where("only"), "is missing", "Name the probes: `plumb list probes`");
  if (step.name.empty()) step.name = step.arm;
  return step;
}

Entry::Desk desk_of(const fs::path& file, const TomlTable& table) {
  table.allow_only({"setting", "minutes", "sweeps", "probe", "records", "pointer"});
  Entry::Desk desk{.setting = table.text("setting"),
                   .minutes = table.number("minutes", 0),
                   .sweeps = beside(file, table, "sweeps"),
                   .probes = {},
                   .records = beside(file, table, "records"),
                   .pointer = table.text("pointer")};
  for (const TomlTable& probe : table.tables("probe")) {
    desk.probes.push_back(probe_of(probe));
    const ProbeStep& step = desk.probes.back();
    const auto is_it = [&](const fs::path& sweep) { return sweep_name(sweep) == step.sweep; };
    if (step.config.empty() && std::ranges::none_of(desk.sweeps, is_it)) {
      throw UserError(probe.where("sweep"), fmt::format("{} is none of the entry's sweeps", step.sweep),
                      "Name it in desk.sweeps");
    }
  }
  return desk;
}

}  // namespace

std::string sweep_name(const fs::path& sweep) {
  return sweep.stem().string();
}

std::string settings_text(const Config& config) {
  std::string text;
  for (const Difference& one : differences(Config{}, config)) text += fmt::format("{}={}\n", one.key, one.after);
  return text;
}

std::string identity_of(const ProbeStep& step) {
  const std::string settings =
      step.config.empty() ? fmt::format("{}", step.set) : settings_text(load_config(step.config, step.set));
  return fmt::format("{} {} {} {} {}\n{}", step.checkpoint, step.only, step.compare, step.sweep, step.arm, settings);
}

std::string fingerprint_of(const Entry& entry) {
  std::string text = "plumb entry 2\n";
  for (const Expectation& one : entry.expectations) text += fmt::format("{}\n{}\n", one.words, one.rule.text());
  for (const fs::path& file : entry.desk.sweeps) {
    const sweep::Sweep sweep = sweep::read_sweep(file);
    text += fmt::format("{} {} {}\n", sweep_name(file), sweep.seeds, sweep.test ? sweep.test_metric : "no test");
    if (sweep.test_average > 1) text += fmt::format("average {}\n", sweep.test_average);
    for (const sweep::Arm& arm : arms_of(sweep)) text += arm.name + "\n" + settings_text(config_of(sweep, arm));
  }
  for (const fs::path& file : entry.desk.records)
    text += fmt::format("{} {}\n", file.stem().string(), sha256_of_file(file));
  for (const ProbeStep& step : entry.desk.probes) {
    text += fmt::format("{} {} {}\n", step.name, step.seed, identity_of(step));
  }
  return sha256_hex(text);
}

Entry read_entry(const fs::path& file) {
  const TomlTable table(file);
  table.allow_only({"id", "where", "title", "claim", "published", "note", "remark", "paper_scale", "desk", "expect"});
  Entry entry;
  entry.id = table.required_text("id");
  entry.paper = file.parent_path().filename().string();
  entry.where = table.required_text("where");
  entry.title = table.required_text("title");
  entry.claim = table.required_text("claim");
  entry.published = table.text("published");
  entry.note = table.text("note");
  entry.remark = table.text("remark");
  if (entry.id != file.stem().string()) {
    throw UserError(table.where("id"), fmt::format("{} is not the name of its file", entry.id),
                    fmt::format("Call the file {}.toml", entry.id));
  }
  const TomlTable paper_scale = table.table("paper_scale");
  paper_scale.allow_only({"needs", "commands"});
  entry.paper_scale = {.needs = paper_scale.text("needs"), .commands = paper_scale.texts("commands")};
  entry.desk = desk_of(file, table.table("desk"));
  for (const TomlTable& one : table.tables("expect")) {
    one.allow_only({"words", "rule"});
    entry.expectations.push_back(
        {one.required_text("words"), ExpectationRule(one.required_text("rule"), one.where("rule"))});
  }
  if (entry.can_run() == entry.expectations.empty()) {
    throw UserError(table.where("expect"),
                    entry.can_run() ? "a desk experiment without an expectation has no verdict"
                                    : "an expectation without an experiment cannot be judged",
                    "Write both [desk] and [[expect]], or desk.pointer alone");
  }
  if (!entry.can_run() && entry.desk.pointer.empty()) {
    throw UserError(table.where("desk"), "is missing",
                    "Say desk.pointer = \"where the result is, or what is missing\"");
  }
  entry.fingerprint = fingerprint_of(entry);
  return entry;
}

}  // namespace plumb::reproduce
