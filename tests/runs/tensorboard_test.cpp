#include "plumb/runs/tensorboard.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

TEST(Crc32c, HasItsPublishedValues) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43u);
}

TEST(TensorBoard, FilesAreReadByAnIndependentReader) {
  if (std::system("/usr/bin/python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no Python to read them with";
  const TemporaryDirectory folder;
  {
    TensorBoardWriter writer(folder.path() / "events");
    writer.scalar("train/loss", 100, 2.5);
    writer.scalar("valid/loss", 70000, 0.125);
  }
  const auto file = std::filesystem::directory_iterator(folder.path() / "events")->path();
  const std::string out = (folder / "out").string();
  const std::string command =
      "/usr/bin/python3 " PLUMB_SOURCE_DIR "/tests/runs/check_events.py '" + file.string() + "' > " + out;
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_all(out), "[100, \"train/loss\", 2.5]\n[70000, \"valid/loss\", 0.125]\n");
}

/// No file of this process grows beyond so many bytes while it lives.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(TensorBoard, WhatCannotBeWrittenIsSaidAndLeavesWholeRecords) {
  const TemporaryDirectory folder;
  TensorBoardWriter writer(folder / "events");
  writer.scalar("train/loss", 1, 2.5);
  EXPECT_EQ(writer.flush(), "");
  const auto file = std::filesystem::directory_iterator(folder / "events")->path();
  const auto whole = std::filesystem::file_size(file);
  {
    const SmallFiles limit(whole + 10);
    writer.scalar("train/loss", 2, 2.5);
    EXPECT_THAT(writer.flush(), ::testing::HasSubstr("cannot be written: File too large"));
  }
  EXPECT_EQ(std::filesystem::file_size(file), whole);
  writer.scalar("train/loss", 3, 2.5);
  EXPECT_EQ(writer.flush(), "");
  EXPECT_GT(std::filesystem::file_size(file), whole);
}

TEST(TensorBoard, AFolderThatCannotBeMadeIsADiskError) {
  const TemporaryDirectory folder;
  write_all(folder / "tensorboard", "a file");
  EXPECT_THROW(TensorBoardWriter(folder / "tensorboard"), DiskError);
}

}  // namespace
}  // namespace plumb
