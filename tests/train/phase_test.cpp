#include "plumb/train/phase.h"

#include <csignal>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

class PhaseTest : public ::testing::Test {
 protected:
  ~PhaseTest() override { ::unsetenv("PLUMB_PHASE_FILE"); }

  void name_file(const std::string& path) { ::setenv("PLUMB_PHASE_FILE", path.c_str(), /*overwrite=*/1); }
  uint64_t shown() const {
    const std::string bytes = read_all(folder_ / "phase");
    uint64_t word = 0;
    EXPECT_EQ(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
    return word;
  }

  TemporaryDirectory folder_;
};

TEST_F(PhaseTest, WithoutAFileNothingIsShown) {
  PhaseFile phase;
  phase.set(Phase::Step, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(PhaseTest, IsInTheFileAtOnce) {
  name_file(folder_ / "phase");
  PhaseFile phase;
  EXPECT_EQ(shown(), 1);
  phase.set(Phase::Accumulation, 1000);
  EXPECT_EQ(shown(), 1000 * 256 + 3);
  phase.set(Phase::Ended, 70000);
  EXPECT_EQ(shown(), 70000 * 256 + 7);
}

TEST_F(PhaseTest, SurvivesTheProcess) {
  name_file(folder_ / "phase");
  const pid_t child = ::fork();
  if (child == 0) {
    PhaseFile phase;
    phase.set(Phase::Checkpoint, 12);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(shown(), 12 * 256 + 5);
}

TEST_F(PhaseTest, AFileThatCannotBeMadeIsADiskError) {
  name_file(folder_ / "nowhere/phase");
  EXPECT_THROW(PhaseFile{}, DiskError);
}

}  // namespace
}  // namespace plumb
