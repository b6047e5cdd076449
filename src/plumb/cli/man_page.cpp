#include "plumb/cli/man_page.h"

#include <string_view>

#include <fmt/format.h>

#include "plumb/base/version.h"
#include "plumb/catalogue/commands.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/probes.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/catalogue/variants.h"
#include "plumb/config/fields.h"

namespace plumb {
namespace {

constexpr std::string_view kExitCodes[][2] = {{"0", "done"},
                                              {"1", "internal error"},
                                              {"2", "wrong input: arguments, configuration, a missing file"},
                                              {"3", "damaged file"},
                                              {"4", "disk full or not writable, or out of memory"},
                                              {"5", "training diverged or is stuck"},
                                              {"128+n", "ended by signal n"}};

constexpr std::string_view kEnvironment[][2] = {
    {"OMP_NUM_THREADS", "number of threads where the configuration has threads = 0 (default: every core)"},
    {"OMP_WAIT_POLICY", "set to passive for the engine unless it is set"},
    {"OPENBLAS_CORETYPE", "set for the engine on Intel processors unless it is set"},
    {"NO_COLOR", "no colours on the terminal"}};

// A backslash begins a request of roff, as a dot or an apostrophe does at the start of a line; a plain hyphen may be
// broken or become a dash, which nobody can paste.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += fmt::format("\\&{}", c);
    } else {
      out += c;
    }
  }
  return out;
}

// An entry with a hanging text: the term is set in bold.
std::string entry(std::string_view term, std::string_view text, std::string_view after_term = "") {
  const std::string rest = after_term.empty() ? "" : fmt::format(" {}", roff(after_term));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(term), rest, roff(text));
}

std::string command_section(const CommandHelp& command) {
  const Command* row = find_command(command.name);
  std::string text = fmt::format(".SS plumb {}\n{}.\n", roff(command.name), roff(command.summary));
  if (row) text += fmt::format(".PP\n\\fBplumb {}\\fR {}\n", roff(row->name), roff(row->usage));
  for (const CommandHelp::Option& option : command.options) {
    text += entry(fmt::format("{}", fmt::join(option.names, ", ")), option.help, option.positional ? "" : option.value);
  }
  if (row) text += fmt::format(".PP\nExample:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", roff(row->example));
  return text;
}

std::string tables() {
  std::string text = ".SH CONFIGURATION KEYS\nIn a TOML file or after \\fB\\-\\-set\\fR, as key=value.\n";
  for (const FieldRow& row : field_rows()) {
    text += entry(row.key(), row.help, fmt::format("({}; default {})", row.type, row.default_value));
  }
  text += ".SH VARIANTS\nValues of model.variant.\n";
  for (const Variant& row : variants()) text += entry(row.name, fmt::format("{} ({})", row.equation, row.paper));
  text += ".SH TASKS\nValues of task.\n";
  for (const TaskRow& row : tasks()) text += entry(row.name, row.summary);
  text += ".SH METRICS\nFor \\fBplumb score\\fR and \\fBplumb evaluate \\-\\-metric\\fR.\n";
  for (const MetricRow& row : metrics()) text += entry(row.name, row.summary);
  text += ".SH PROBES\nFor \\fBplumb probe \\-\\-only\\fR.\n";
  for (const ProbeRow& row : probes()) text += entry(row.name, row.summary);
  return text;
}

}  // namespace

std::string man_page(std::span<const CommandHelp> commands) {
  // No date: the page is the same whenever it is made.
  std::string text = fmt::format(
      ".\\\" Written by plumb help --man.\n.TH PLUMB 1 \"\" \"Plumb {}\" \"User Commands\"\n", roff(version()));
  text +=
      ".SH NAME\nplumb \\- train and compare Transformers that differ in the placement of norms and residual "
      "connections\n"
      ".SH SYNOPSIS\n\\fBplumb\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.br\n\\fBplumb help\\fR "
      "[\\fICOMMAND\\fR]\n.br\n"
      "\\fBplumb \\-\\-version\\fR\n"
      ".SH DESCRIPTION\nResults go to standard output, messages to standard error. Commands that need LibTorch run in "
      "\\fBplumb\\-engine\\fR, which \\fBplumb\\fR starts.\n"
      ".SH COMMANDS\n";
  for (const CommandHelp& command : commands) text += command_section(command);
  text += tables();
  text += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodes) text += entry(code, meaning);
  text += ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kEnvironment) text += entry(name, meaning);
  return text;
}

}  // namespace plumb
