#include "plumb/cli/command_line.h"

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "plumb/base/disk_remedy.h"
#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/base/nearest_name.h"
#include "plumb/base/standard_files.h"
#include "plumb/base/to_stderr.h"
#include "plumb/catalogue/commands.h"
#include "plumb/cli/command_help.h"
#include "plumb/process/signals.h"

namespace plumb {
namespace {

struct ReaderGone {};

// What other libraries throw may run over many lines, a backtrace for example: the first says what happened.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// LibTorch has an exception of its own for memory that it does not get, and a thread needs some, too.
bool is_lack_of_memory(const std::exception& error) {
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    return system->code() == std::errc::resource_unavailable_try_again ||
           system->code() == std::errc::not_enough_memory;
  }
  const std::string_view text = error.what();
  return text.find("can't allocate memory") != text.npos || text.find("not enough memory") != text.npos;
}

int out_of_memory() {
  write_to_stderr("plumb: out of memory. Use a smaller model, batch or file, or raise the limit (ulimit -v, cgroup)\n");
  return static_cast<int>(Exit::Disk);
}

std::string nearest_option(const CLI::App& app, const std::string& wanted) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  const std::vector<std::string_view> names(flags.begin(), flags.end());
  return nearest(wanted, names);
}

std::string parse_remedy(const CLI::App& app) {
  for (const std::string& extra : app.remaining()) {
    if (!extra.starts_with('-')) continue;
    if (const std::string near = nearest_option(app, extra); !near.empty()) {
      return fmt::format("Did you mean {}? See {} --help", near, app.get_name());
    }
  }
  return fmt::format("See {} --help", app.get_name());
}

// CLI11 begins its sentences with capitals and ends some with a stop; ours go on after "plumb: list: ".
std::string parse_problem(std::string text) {
  text = first_line(text);
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z') text[0] = static_cast<char>(std::tolower(text[0]));
  return text;
}

// For a shell: in single quotes unless nothing in it means anything there.
std::string quoted(const std::string& argument) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=,:+@%";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

}  // namespace

void prepare_process() {
  open_standard_files();
  ignore_write_signals();
}

int run_command(const std::function<int()>& command) {
  try {
    return command();
  } catch (const ReaderGone&) {
    return 128 + SIGPIPE;
  } catch (const Error& error) {
    to_stderr("plumb: {}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    if (is_lack_of_memory(error)) return out_of_memory();
    to_stderr("plumb: internal error: {}\n", first_line(error.what()));
    return static_cast<int>(Exit::OurMistake);
  } catch (...) {
    to_stderr("plumb: internal error: an exception of unknown type\n");
    return static_cast<int>(Exit::OurMistake);
  }
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  const int error = errno;
  if (error == EPIPE) throw ReaderGone{};
  throw DiskError("stdout", fmt::format("cannot write ({})", reason_of(error)), disk_remedy(error));
}

std::string as_typed(int argc, char** argv) {
  std::string text = "plumb";
  for (int i = 0; i < argc; ++i) text += ' ' + quoted(argv[i]);
  return text;
}

bool parse_arguments(CLI::App& app, int argc, char** argv) {
  const Command* row = find_command(argv[0]);
  app.name(fmt::format("plumb {}", argv[0]));
  if (row) {
    app.description(std::string(row->summary));
    app.footer(fmt::format("Example:\n  {}", row->example));
  }
  if (note_command_help(app, argv[0])) return false;
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    throw UserError(argv[0], parse_problem(error.what()), parse_remedy(app));
  }
}

}  // namespace plumb
