#include "plumb/runs/run_log.h"

#include <fstream>

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

class RunLog : public ::testing::Test {
 protected:
  RunLog() : run_(std::filesystem::path(::testing::TempDir()) / "run_log") {
    std::filesystem::create_directories(run_);
  }
  ~RunLog() override { std::filesystem::remove_all(run_); }

  void write(const std::string& text) { std::ofstream(run_ / "log.jsonl") << text; }

  std::filesystem::path run_;
};

TEST_F(RunLog, GivesRecordsInOrderAndByType) {
  write("{\"type\":\"train\",\"update\":1}\n{\"type\":\"valid\",\"update\":2}\n{\"type\":\"train\",\"update\":3}\n");
  const std::vector<nlohmann::json> log = read_log(run_);
  ASSERT_EQ(log.size(), 3);
  const std::vector<nlohmann::json> train = records_of(log, "train");
  ASSERT_EQ(train.size(), 2);
  EXPECT_EQ(train[1].at("update"), 3);
}

TEST_F(RunLog, LeavesOutALineThatIsBeingWritten) {
  write("{\"type\":\"train\"}\n{\"type\":\"va");
  EXPECT_EQ(read_log(run_).size(), 1);
}

TEST_F(RunLog, NamesALineThatIsNoRecord) {
  write("{\"type\":\"train\"}\nhello\n{\"type\":\"train\"}\n");
  try {
    read_log(run_);
    FAIL() << "it should have been refused";
  } catch (const DamagedFile& error) {
    EXPECT_NE(std::string(error.what()).find("log.jsonl:2"), std::string::npos) << error.what();
  }
}

TEST_F(RunLog, NoLogIsNoRun) {
  EXPECT_THROW(read_log(run_ / "elsewhere"), DamagedFile);
}

}  // namespace
}  // namespace plumb
