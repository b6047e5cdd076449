#include "plumb/process/memory_limits.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/file_content.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// Measured on Debian 12 with one thread: the libraries take 0.59 GB of addresses, OpenBLAS three buffers of 134 MB, a
// thread for checkpoints 0.08 GB, and a small model the rest.
constexpr double kEngineAddresses = 1.3e9, kEngineData = 0.7e9;

/// The number behind `name` in a file of lines "name number"; 0 if there is none.
int64_t number_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name)) return std::atoll(line.c_str() + name.size());
  }
  return 0;
}

/// None: "max", or there is no such file.
std::optional<int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  int64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

int64_t free_swap(const MemoryFiles& files) {
  return 1024 * number_of(file_content(files.proc / "meminfo"), "SwapFree:");
}

void add_ulimit(std::vector<MemoryLimit>& limits, const MemoryFiles& files) {
  int64_t size = 0, data = 0, ignored = 0;  // in pages
  std::ifstream(files.proc / "self/statm") >> size >> ignored >> ignored >> ignored >> ignored >> data;
  const auto add = [&](auto resource, const char* name, int64_t pages) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const auto most = static_cast<int64_t>(
        std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(std::numeric_limits<int64_t>::max())));
    limits.push_back({name, std::max<int64_t>(0, most - pages * ::sysconf(_SC_PAGESIZE)), /*counts_addresses=*/true});
  };
  add(RLIMIT_AS, "ulimit -v", size);
  add(RLIMIT_DATA, "ulimit -d", data);
}

// What the page cache holds is given back when it is needed.
void add_cgroups(std::vector<MemoryLimit>& limits, const MemoryFiles& files) {
  std::istringstream lines(file_content(files.proc / "self/cgroup"));
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("0::/")) continue;
  if (!line.starts_with("0::/")) return;
  for (fs::path group = line.substr(4);; group = group.parent_path()) {
    const fs::path folder = files.cgroups / group;
    if (const std::optional<int64_t> most = number_in(folder / "memory.max")) {
      const int64_t cache = number_of(file_content(folder / "memory.stat"), "file ");
      const int64_t used = number_in(folder / "memory.current").value_or(0) - cache;
      const std::optional<int64_t> most_swap = number_in(folder / "memory.swap.max");
      const int64_t swap =
          most_swap ? *most_swap - number_in(folder / "memory.swap.current").value_or(0) : free_swap(files);
      limits.push_back({"memory.max of its cgroup", std::max<int64_t>(0, *most - used + swap)});
    }
    if (group.empty()) return;
  }
}

void add_machine(std::vector<MemoryLimit>& limits, const MemoryFiles& files) {
  const int64_t available = 1024 * number_of(file_content(files.proc / "meminfo"), "MemAvailable:");
  if (available > 0) limits.push_back({"this machine", available + free_swap(files)});
}

}  // namespace

std::vector<MemoryLimit> memory_limits(const MemoryFiles& files) {
  std::vector<MemoryLimit> limits;
  add_ulimit(limits, files);
  add_cgroups(limits, files);
  add_machine(limits, files);
  return limits;
}

std::optional<MemoryLimit> address_limit(const MemoryFiles& files) {
  std::vector<MemoryLimit> limits;
  add_ulimit(limits, files);
  const auto tightest = std::ranges::min_element(limits, {}, &MemoryLimit::left);
  return tightest == limits.end() ? std::nullopt : std::optional(*tightest);
}

void check_engine_fits() {
  std::vector<MemoryLimit> limits;
  add_ulimit(limits, {});
  for (const MemoryLimit& limit : limits) {
    const double left = static_cast<double>(limit.left),
                 needed = limit.name == "ulimit -v" ? kEngineAddresses : kEngineData;
    if (left >= needed) continue;
    throw UserError(
        limit.name,
        fmt::format("leaves {}; LibTorch and OpenBLAS need at least {}", gigabytes(left), gigabytes(needed)),
        fmt::format("Raise it: {} unlimited", limit.name));
  }
}

std::string gigabytes(double bytes) {
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

}  // namespace plumb
