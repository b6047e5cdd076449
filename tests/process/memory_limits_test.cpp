#include "plumb/process/memory_limits.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "plumb/base/error.h"
#include "plumb/process/spawn.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// A system with 5 GB of available memory and swap, and a cgroup two levels deep.
class MemoryLimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("proc/meminfo", "MemTotal:  9000000 kB\nMemAvailable:  4000000 kB\nSwapFree:  1000000 kB\n");
    write("proc/self/cgroup", "4:memory:/old\n0::/user/job\n");
    write("proc/self/statm", "10 5 4 3 0 2 0\n");
  }
  void write(const std::string& name, const std::string& text) {
    const fs::path file = root_ / name;
    fs::create_directories(file.parent_path());
    write_all(file, text);
  }
  /// By the words of the limit, without ulimits, which the machine of the test may have.
  std::vector<std::pair<std::string, int64_t>> found() const {
    std::vector<std::pair<std::string, int64_t>> limits;
    for (const MemoryLimit& limit : memory_limits({root_ / "proc", root_ / "cgroup"})) {
      if (!limit.counts_addresses) limits.emplace_back(limit.name, limit.left);
    }
    return limits;
  }

  TemporaryDirectory root_;
};

constexpr int64_t kMachine = 5'000'000 * int64_t{1024};

TEST_F(MemoryLimitsTest, AMachineHasItsFreeMemoryAndSwap) {
  EXPECT_THAT(found(), ::testing::ElementsAre(std::pair("this machine", kMachine)));
}

TEST_F(MemoryLimitsTest, EveryCgroupOnTheWayUpCounts) {
  write("cgroup/user/job/memory.max", "max\n");
  write("cgroup/user/memory.max", "3000\n");
  write("cgroup/user/memory.current", "1000\n");
  write("cgroup/user/memory.stat", "anon 400\nfile 600\nfile_mapped 7\n");  // of the cache nothing is in the way
  write("cgroup/user/memory.swap.max", "50\n");
  write("cgroup/user/memory.swap.current", "20\n");
  EXPECT_THAT(found(), ::testing::ElementsAre(std::pair("memory.max of its cgroup", 3000 - 400 + 30),
                                              std::pair("this machine", kMachine)));
}

TEST_F(MemoryLimitsTest, WhatIsNotThereLimitsNothing) {
  fs::remove_all(root_ / "proc");
  EXPECT_THAT(found(), ::testing::IsEmpty());
}

// In a copy, since a limit cannot be taken back by everybody.
int with_limit(__rlimit_resource resource, rlim_t bytes, const std::function<int()>& work) {
  const std::optional<ExitStatus> status = spawn_copy([&] {
                                             const rlimit limit{bytes, bytes};
                                             ::setrlimit(resource, &limit);
                                             return work();
                                           }).ended_within(std::chrono::seconds(60));
  return status ? status->code().value_or(-1) : -2;
}

TEST(EngineLimits, TooFewAddressesAreRefusedByName) {
  const auto refused = [] {
    try {
      check_engine_fits();
      return 0;
    } catch (const UserError& error) {
      return std::string(error.what()).starts_with("ulimit -v: leaves 0.") ? 2 : 3;
    }
  };
  EXPECT_EQ(with_limit(RLIMIT_AS, rlim_t{900} << 20, refused), 2);
  EXPECT_EQ(with_limit(RLIMIT_AS, rlim_t{8} << 30, refused), 0);
}

TEST(EngineLimits, TheTighterOfTheTwoCounts) {
  EXPECT_EQ(with_limit(RLIMIT_AS, rlim_t{8} << 30,
                       [] {
                         const rlimit data{rlim_t{2} << 30, rlim_t{2} << 30};
                         ::setrlimit(RLIMIT_DATA, &data);
                         const std::optional<MemoryLimit> limit = address_limit();
                         return limit && limit->name == "ulimit -d" && limit->left < (int64_t{2} << 30) ? 0 : 1;
                       }),
            0);
}

}  // namespace
}  // namespace plumb
