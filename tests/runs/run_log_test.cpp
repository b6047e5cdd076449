#include "plumb/runs/run_log.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

class RunLogTest : public ::testing::Test {
 protected:
  RunLogTest() : run_(std::filesystem::path(::testing::TempDir()) / "run_log") {
    std::filesystem::create_directories(run_);
  }
  ~RunLogTest() override { std::filesystem::remove_all(run_); }

  void write(const std::string& text) { std::ofstream(run_ / "log.jsonl") << text; }
  RunLog strict() const { return read_run_log(run_, LogReading::Strict); }
  RunLog tolerant() const { return read_run_log(run_, LogReading::Tolerant); }

  std::filesystem::path run_;
};

constexpr char kTrain[] = "{\"type\":\"train\",\"update\":1}\n";

TEST_F(RunLogTest, GivesRecordsInOrderAndByKind) {
  write(kTrain + std::string("{\"type\":\"valid\",\"update\":2}\n{\"type\":\"train\",\"update\":3}\n"));
  const RunLog log = strict();
  ASSERT_EQ(log.records.size(), 3u);
  ASSERT_EQ(log.all<TrainRecord>().size(), 2u);
  EXPECT_EQ(log.all<TrainRecord>()[1]->update, 3);
  EXPECT_EQ(tolerant().records.size(), 3u);
}

TEST_F(RunLogTest, LeavesOutALineThatIsBeingWritten) {
  write(kTrain + std::string("{\"type\":\"va"));
  EXPECT_EQ(strict().records.size(), 1u);
  EXPECT_EQ(tolerant().records.size(), 1u);
  EXPECT_EQ(tolerant().damaged_lines, 0);
}

TEST_F(RunLogTest, ALineThatIsNoRecordIsNamedOrCounted) {
  write(kTrain + std::string("hello\n") + kTrain);
  EXPECT_EQ(tolerant().records.size(), 2u);
  EXPECT_EQ(tolerant().damaged_lines, 1);
  try {
    strict();
    FAIL() << "it should have been refused";
  } catch (const DamagedFile& error) {
    EXPECT_NE(std::string(error.what()).find("log.jsonl:2"), std::string::npos) << error.what();
  }
}

TEST_F(RunLogTest, NoLogIsNoRun) {
  EXPECT_THROW(read_run_log(run_ / "elsewhere", LogReading::Strict), DamagedFile);
  EXPECT_TRUE(read_run_log(run_ / "elsewhere", LogReading::Tolerant).records.empty());
}

TEST_F(RunLogTest, WhatIsDoneAgainCountsOnceInBothModes) {
  write(R"({"type":"event","event":"started","update":0}
{"type":"gradients","update":10,"norms":{}}
{"type":"train","update":10}
{"type":"train","update":20}
{"type":"event","event":"resumed","update":10}
{"type":"train","update":20}
)");
  for (const RunLog& log : {strict(), tolerant()}) {
    EXPECT_EQ(log.all<TrainRecord>().size(), 2u);
    EXPECT_TRUE(log.all<GradientsRecord>().empty()) << "of the update that is done again";
  }
}

}  // namespace
}  // namespace plumb
