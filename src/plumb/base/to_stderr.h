#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace plumb {

/// The only way to stderr: status lines, warnings and errors. What cannot be written (a terminal that is gone, a full
/// disk behind a log, a dead `tee`) is lost, and nothing else is: no exception, no signal. Safe in a signal handler.
void write_to_stderr(std::string_view text) noexcept;

/// The same for a text that is put together first. `tools/check_talk.py` sees to it that nobody prints there otherwise.
template <class... Arguments>
void to_stderr(fmt::format_string<Arguments...> format, Arguments&&... arguments) noexcept {
  try {
    write_to_stderr(fmt::format(format, std::forward<Arguments>(arguments)...));
  } catch (...) {  // no memory even for a line
  }
}

}  // namespace plumb
