#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/process/child.h"

namespace plumb {

/// Starts a `plumb` that works beside this process. It has a process group of its own, so that Ctrl-C reaches it once,
/// from here, and not a second time from the terminal (a second signal would end it before it has saved). It ends with
/// this process, however that ends: an orphan would keep training in a directory that the next sweep needs.
///
/// What it says on stderr is added to `said`, or goes to ours if that is empty; its stdout goes to `output`, or nowhere
/// if that is empty.
Child start_engine(const std::filesystem::path& plumb, const std::vector<std::string>& arguments,
                   const std::filesystem::path& said, const std::filesystem::path& output = {});

/// The last line with which a process complained, in what was added to `said` from `begin` on: the last that starts
/// with "plumb: ", without that, else the last at all; empty if there is none.
std::string last_complaint(const std::filesystem::path& said, uint64_t begin);

/// This process becomes plumb-engine, so that signals, pid and exit code are the engine's own. `arguments` are those of
/// the command, its name first.
[[noreturn]] void become_engine(const std::vector<std::string>& arguments);

}  // namespace plumb
