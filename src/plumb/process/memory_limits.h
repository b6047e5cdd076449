#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// Something that bounds the memory of this process, and how many bytes it still leaves.
struct MemoryLimit {
  std::string name;  // "ulimit -v"
  int64_t left = 0;
  bool counts_addresses = false;  // also what is reserved and never touched
};

/// Where the system says how much there is; a test brings its own.
struct MemoryFiles {
  std::filesystem::path proc = "/proc", cgroups = "/sys/fs/cgroup";
};

/// Every limit that is in force: `ulimit -v` and `-d`, memory.max of this cgroup and of those above it (version 2, with
/// swap; the page cache counts as free), and the free memory and swap of the machine.
std::vector<MemoryLimit> memory_limits(const MemoryFiles& files = {});

/// The tighter of `ulimit -v` and `-d`, if one is set.
std::optional<MemoryLimit> address_limit(const MemoryFiles& files = {});

/// Throws UserError, naming the limit, if `ulimit -v` or `-d` leaves less than plumb-engine takes before it does
/// anything: its libraries, and OpenBLAS, which waits for ever for memory that it does not get.
void check_engine_fits();

/// "1.30 GB"
std::string gigabytes(double bytes);

}  // namespace plumb
