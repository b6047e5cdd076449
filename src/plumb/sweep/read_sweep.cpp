#include "plumb/sweep/read_sweep.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/config/assign.h"
#include "plumb/config/field_text.h"
#include "plumb/config/suggestion.h"
#include "plumb/config/toml_reader.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostSeeds = 10'000, kMostRuns = 100'000;

std::string value_text(const Value& value) {
  struct Text {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return float_text(d); }
    std::string operator()(const std::string& s) const { return plumb::quoted(s); }
    std::string operator()(const Value::List& list) const {
      std::string text;
      for (const Value& item : list) text += (text.empty() ? "" : ", ") + value_text(item);
      return "[" + text + "]";
    }
    std::string operator()(const Value::Unfit&) const { return ""; }
  };
  return std::visit(Text{}, value.is);
}

// ---- the keys above the tables ----

template <class T>
T wanted(const Setting& setting, const char* what, const char* example) {
  if (const T* value = std::get_if<T>(&setting.value.is)) return *value;
  throw UserError(setting.where(), fmt::format("wants {}", what),
                  fmt::format("For example {} = {}", setting.key, example));
}

int small_number(const Setting& setting) {
  const auto number = wanted<int64_t>(setting, "a number", "2");
  if (number < 1 || number > 4096)
    throw UserError(setting.where(), fmt::format("cannot be {}", number), "Use 1 to 4096");
  return static_cast<int>(number);
}

void read_seeds(Sweep& sweep, const Setting& setting) {
  sweep.seeds.clear();
  if (const int64_t* count = std::get_if<int64_t>(&setting.value.is)) {
    if (*count < 1 || *count > kMostSeeds) {
      throw UserError(setting.where(), fmt::format("cannot be {}", *count), fmt::format("Use 1 to {}", kMostSeeds));
    }
    for (int64_t seed = 1; seed <= *count; ++seed) sweep.seeds.push_back(seed);
    return;
  }
  for (const Value& value : wanted<Value::List>(setting, "how many, or a list of them", "[1, 2, 3]")) {
    const int64_t* seed = std::get_if<int64_t>(&value.is);
    if (!seed) throw UserError(setting.where(), "a seed is not an integer", "For example seeds = [1, 2, 3]");
    sweep.seeds.push_back(*seed);
  }
}

void read_test(Sweep& sweep, const Setting& setting) {
  if (const std::string* metric = std::get_if<std::string>(&setting.value.is)) {
    sweep.test = true;
    sweep.test_metric = *metric;
    return;
  }
  sweep.test = wanted<bool>(setting, "true, false or a metric", "\"bleu\"");
}

void read_heatmap(Sweep& sweep, const Setting& setting) {
  for (const Value& key : wanted<Value::List>(setting, "two keys of the grid", "[\"optim.lr\", \"optim.betas\"]")) {
    const std::string* name = std::get_if<std::string>(&key.is);
    if (!name) throw UserError(setting.where(), "wants two keys of the grid", "Put them in quotes");
    sweep.heatmap.push_back(*name);
  }
}

struct TopKey {
  std::string_view name;
  void (*read)(Sweep& sweep, const Setting& setting);
};
constexpr TopKey kTopKeys[] = {
    {"name", [](Sweep& s, const Setting& v) { s.name = wanted<std::string>(v, "a text", "\"warm-up\""); }},
    {"config",
     [](Sweep& s, const Setting& v) {
       s.config = (s.file.parent_path() / wanted<std::string>(v, "a file name", "\"../task/numbers.toml\""))
                      .lexically_normal();
     }},
    {"seeds", read_seeds},
    {"cores", [](Sweep& s, const Setting& v) { s.cores = small_number(v); }},
    {"threads", [](Sweep& s, const Setting& v) { s.threads = small_number(v); }},
    {"metric", [](Sweep& s, const Setting& v) { s.metric = wanted<std::string>(v, "a name", "\"loss\""); }},
    {"baseline",
     [](Sweep& s, const Setting& v) { s.baseline = wanted<std::string>(v, "the name of an arm", "\"plain\""); }},
    {"test", read_test},
    {"average", [](Sweep& s, const Setting& v) { s.test_average = small_number(v); }},
    {"heatmap", read_heatmap},
};

[[noreturn]] void unknown_key(const Setting& setting) {
  std::vector<std::string_view> names = {"set", "grid", "arm"};
  for (const TopKey& key : kTopKeys) names.push_back(key.name);
  const std::string first = setting.key.substr(0, setting.key.find_first_of(".["));
  std::string remedy = first == "arm" ? "Write [[arm]], with two brackets" : did_you_mean(first, names);
  if (remedy.empty())
    remedy = fmt::format("Keys of runs go into [set], [grid] or [[arm]]; above them there are {}", joined(names));
  throw UserError(setting.where(), "a sweep has no such key", remedy);
}

// ---- the keys of runs ----

// A field of its own takes the value, so that a wrong key or type is blamed on the line where it stands.
Override checked_override(const Setting& setting, const std::string& key, const Value& value) {
  Setting one = setting;
  one.key = key;
  one.value = value;
  Config ignored;
  assign(ignored, one);
  return key + "=" + value_text(value);
}

void read_axis(Sweep& sweep, const Setting& setting, const std::string& key) {
  const Value::List* values = std::get_if<Value::List>(&setting.value.is);
  Setting one = setting;
  one.key = key;
  if (!values) {
    checked_override(setting, key, setting.value);
    throw UserError(one.where(), "the grid wants a list of values", "A single value goes into [set]");
  }
  Axis axis{key, {}};
  for (const Value& value : *values)
    axis.values.push_back(checked_override(setting, key, value).substr(key.size() + 1));
  sweep.grid.push_back(std::move(axis));
}

/// "arm[3].optim.lr" is 3 and optim.lr; "arm[3]" has no key: it is an arm that sets nothing.
struct ArmKey {
  size_t index;
  std::string key;
};

ArmKey arm_key(const Setting& setting) {
  const char *begin = setting.key.data() + std::string_view("arm[").size(),
             *end = setting.key.data() + setting.key.size();
  ArmKey found{};
  const auto [close, error] = std::from_chars(begin, end, found.index);
  const std::string_view rest(close, end);
  if (error == std::errc{} && rest == "]" && setting.is_table) return found;
  if (error != std::errc{} || !rest.starts_with("].") || rest.size() == 2) unknown_key(setting);
  found.key = rest.substr(2);
  return found;
}

void read_arm(std::map<size_t, ListedArm>& arms, const Setting& setting) {
  const auto [index, key] = arm_key(setting);
  if (key.empty()) {
    arms[index].name = "plain";
  } else if (key == "name") {
    Setting name = setting;
    name.key = "name";
    arms[index].name = wanted<std::string>(name, "a text", "\"deep\"");
  } else {
    arms[index].overrides.push_back(checked_override(setting, key, setting.value));
  }
}

std::string name_of_overrides(const ListedArm& arm) {
  std::string name;
  for (const Override& one : arm.overrides) {
    const size_t equals = one.find('='), dot = one.substr(0, equals).rfind('.') + 1;
    name += (name.empty() ? "" : " ") + one.substr(dot, equals - dot) + "=" + plain_value(one.substr(equals + 1));
  }
  return name;
}

// --set takes words without quotes, and 123 for a field that takes any text: as TOML both are strings.
void add_override(Sweep& sweep, const std::string& text) {
  const Setting setting = parse_override(text);
  Config ignored;
  assign(ignored, setting);
  Setting as_toml = setting;
  as_toml.written.clear();
  try {
    assign(ignored, as_toml);
  } catch (const UserError&) {
    as_toml.value = {setting.written};
  }
  std::erase_if(sweep.set, [&](const Override& one) { return one.starts_with(setting.key + "="); });
  sweep.set.push_back(setting.key + "=" + value_text(as_toml.value));
}

}  // namespace

Sweep sweep_of(std::span<const Setting> leaves, const fs::path& file) {
  Sweep sweep;
  sweep.file = file;
  sweep.name = file.stem().string();
  std::map<size_t, ListedArm> arms;
  for (const Setting& setting : leaves) {
    const std::string& key = setting.key;
    const auto top = std::ranges::find(kTopKeys, key, &TopKey::name);
    if (top != std::end(kTopKeys)) {
      top->read(sweep, setting);
    } else if (key.starts_with("set.")) {
      sweep.set.push_back(checked_override(setting, key.substr(4), setting.value));
    } else if (key.starts_with("grid.")) {
      read_axis(sweep, setting, key.substr(5));
    } else if (key.starts_with("arm[")) {
      read_arm(arms, setting);
    } else {
      unknown_key(setting);
    }
  }
  for (auto& [index, arm] : arms) {
    if (arm.name.empty()) arm.name = name_of_overrides(arm);
    sweep.arms.push_back(std::move(arm));
  }
  return sweep;
}

Sweep read_sweep(const fs::path& file, std::span<const std::string> overrides) {
  Sweep sweep = sweep_of(read_toml_leaves(file), file);
  for (const std::string& text : overrides) add_override(sweep, text);
  size_t runs = std::max<size_t>(1, sweep.arms.size()) * sweep.seeds.size();
  for (const Axis& axis : sweep.grid) {
    if (runs <= kMostRuns) runs *= std::max<size_t>(1, axis.values.size());
  }
  if (runs > kMostRuns)
    throw UserError(file.string(), fmt::format("these are more than {} runs", kMostRuns), "Try fewer values");
  check_sweep(sweep);
  return sweep;
}

}  // namespace plumb::sweep
