#include "plumb/cli/command_help.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plumb {
namespace {

CommandHelp* asked = nullptr;

CommandHelp::Option described(const CLI::Option& option) {
  CommandHelp::Option one;
  one.positional = option.get_positional();
  if (one.positional) one.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_lnames()) one.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) one.names.push_back("-" + name);
  if (option.get_items_expected_max() > 0) one.value = option.get_type_name();
  one.help = option.get_description();
  return one;
}

}  // namespace

CommandHelp help_of(int (*run)(int argc, char** argv), std::vector<std::string> words) {
  CommandHelp help;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  asked = &help;
  run(static_cast<int>(words.size()), argv.data());
  if (std::exchange(asked, nullptr)) throw std::logic_error(words.front() + " does not parse its arguments");
  return help;
}

bool note_command_help(const CLI::App& app, const char* name) {
  CommandHelp* const help = std::exchange(asked, nullptr);
  if (!help) return false;
  help->name = name;
  help->summary = app.get_description();
  for (const CLI::Option* option : app.get_options()) help->options.push_back(described(*option));
  return true;
}

std::vector<std::string_view> usage_words(std::string_view usage) {
  std::vector<std::string_view> words;
  if (!usage.starts_with('{')) return words;
  usage = usage.substr(1, usage.find('}') - 1);
  while (!usage.empty()) {
    const size_t end = std::min(usage.find(','), usage.size());
    words.push_back(usage.substr(0, end));
    usage.remove_prefix(std::min(end + 1, usage.size()));
  }
  return words;
}

void to_json(nlohmann::json& json, const CommandHelp& help) {
  auto options = nlohmann::json::array();
  for (const CommandHelp::Option& option : help.options) {
    options.push_back(
        {{"names", option.names}, {"value", option.value}, {"help", option.help}, {"positional", option.positional}});
  }
  json = {{"name", help.name}, {"summary", help.summary}, {"options", std::move(options)}};
}

void from_json(const nlohmann::json& json, CommandHelp& help) {
  json.at("name").get_to(help.name);
  json.at("summary").get_to(help.summary);
  for (const nlohmann::json& option : json.at("options")) {
    help.options.push_back(
        {option.at("names"), option.at("value"), option.at("help"), option.at("positional").get<bool>()});
  }
}

}  // namespace plumb
