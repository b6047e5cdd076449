#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace plumb {

/// A `plumb` that works beside this process. It has a process group of its own, so that Ctrl-C reaches it once, from
/// here, and not a second time from the terminal (a second signal would end it before it has saved). It ends with this
/// process, however that ends: an orphan would go on training in a directory that the next sweep wants.
class EngineProcess {
 public:
  /// What it says on stderr is added to `said`, or goes to ours if that is empty; its stdout goes to `output`, or
  /// nowhere if that is empty.
  EngineProcess(const std::filesystem::path& plumb, const std::vector<std::string>& arguments,
                const std::filesystem::path& said, const std::filesystem::path& output = {});
  EngineProcess(EngineProcess&& other) noexcept;
  EngineProcess& operator=(EngineProcess&& other) noexcept;
  ~EngineProcess();  // kills it, if it has not ended

  /// Its wait status once it has ended; asks without waiting.
  std::optional<int> ended();
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
};

/// The last line with which a process complained, in what was added to `said` from `begin` on: the last that starts
/// with "plumb: ", without that, else the last at all; empty if there is none.
std::string last_complaint(const std::filesystem::path& said, uint64_t begin);

}  // namespace plumb
