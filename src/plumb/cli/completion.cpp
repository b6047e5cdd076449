#include "plumb/cli/completion.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "plumb/catalogue/commands.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/probes.h"
#include "plumb/catalogue/variants.h"
#include "plumb/config/fields.h"

namespace plumb {
namespace {

// The words of bash: an = ends one, so `--set seed=4` is four of them.
constexpr std::string_view kScript = R"~(
_plumb() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} before=
  COMPREPLY=()
  ((COMP_CWORD < 2)) || before=${COMP_WORDS[COMP_CWORD-2]}
  if [[ $cur == = ]]; then
    COMPREPLY=($(compgen -W "$(_plumb_values "$prev")" -- ""))
    return
  elif [[ $prev == = ]]; then
    COMPREPLY=($(compgen -W "$(_plumb_values "$before")" -- "$cur"))
    return
  fi
  case $prev in
    --set)
      COMPREPLY=($(compgen -S = -W "$_plumb_keys" -- "$cur"))
      compopt -o nospace
      return ;;
    --compare) _plumb_after_comma "$_plumb_variants"; return ;;
    --only) _plumb_after_comma "$_plumb_probes"; return ;;
    --metric) COMPREPLY=($(compgen -W "$_plumb_metrics" -- "$cur")); return ;;
  esac
  local command=${COMP_WORDS[1]} second=
  ((COMP_CWORD < 3)) || second=${COMP_WORDS[2]}
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$_plumb_commands --help --version" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$(_plumb_options "$command" "$second")" -- "$cur"))
  elif ((COMP_CWORD == 2)); then
    COMPREPLY=($(compgen -W "$(_plumb_first "$command")" -- "$cur"))
  fi
}

_plumb_after_comma() {  # words
  local done=
  [[ $cur != *,* ]] || done=${cur%,*},
  COMPREPLY=($(compgen -P "$done" -W "$1" -- "${cur##*,}"))
}

complete -o default -F _plumb plumb
)~";

template <class Rows>
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// "relu, gelu" as words; none if the type is described in prose or is a single word ("integer").
std::vector<std::string_view> choices(std::string_view type) {
  std::vector<std::string_view> words;
  while (!type.empty()) {
    const size_t end = std::min(type.find(", "), type.size());
    words.push_back(type.substr(0, end));
    type.remove_prefix(std::min(end + 2, type.size()));
  }
  if (words.size() < 2 || !std::ranges::all_of(words, is_word)) words.clear();
  return words;
}

std::vector<std::string_view> first_words(const Command& row) {
  if (row.name == "score") return names_of(metrics());
  if (row.name == "help") return names_of(commands());
  return usage_words(row.usage);
}

std::string variable(std::string_view name, const std::vector<std::string_view>& words) {
  return fmt::format("_plumb_{}='{}'\n", name, fmt::join(words, " "));
}

std::string options_of(const CommandHelp& command) {
  std::vector<std::string> names;
  for (const CommandHelp::Option& option : command.options) {
    std::ranges::copy_if(option.names, std::back_inserter(names),
                         [](const std::string& n) { return n.starts_with('-'); });
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string options_function(std::span<const CommandHelp> all) {
  std::string text = "\n_plumb_options() {  # command second-word\n  case \"$1 $2\" in\n";
  for (const bool part : {true, false}) {
    for (const CommandHelp& help : all) {
      if ((help.name.find(' ') != std::string::npos) != part) continue;
      text += fmt::format("    '{}'{}) echo '{}' ;;\n", part ? help.name : help.name + " ", part ? "" : "*",
                          options_of(help));
    }
  }
  return text + "  esac\n}\n";
}

std::string first_function() {
  std::string text = "\n_plumb_first() {  # command\n  case $1 in\n";
  for (const Command& row : commands()) {
    if (const auto words = first_words(row); !words.empty()) {
      text += fmt::format("    {}) echo '{}' ;;\n", row.name, fmt::join(words, " "));
    }
  }
  return text + "  esac\n}\n";
}

std::string values_function() {
  std::string text = "\n_plumb_values() {  # config key\n  case $1 in\n";
  text +=
      "    model.variant|model.encoder_variant|model.decoder_variant|model.placement) echo \"$_plumb_variants\" ;;\n";
  for (const FieldRow& row : field_rows()) {
    if (const auto words = choices(row.type); !words.empty()) {
      text += fmt::format("    {}) echo '{}' ;;\n", row.key(), fmt::join(words, " "));
    }
  }
  return text + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(std::span<const CommandHelp> all) {
  std::vector<std::string> keys;
  for (const FieldRow& row : field_rows()) keys.push_back(row.key());
  std::string text = "# Completion of plumb for bash, written by plumb help --completion.\n\n";
  text += variable("commands", names_of(commands()));
  text += variable("variants", names_of(variants()));
  text += variable("metrics", names_of(metrics()));
  text += variable("probes", names_of(probes()));
  text += variable("keys", {keys.begin(), keys.end()});
  return text + options_function(all) + first_function() + values_function() + std::string(kScript);
}

}  // namespace plumb
