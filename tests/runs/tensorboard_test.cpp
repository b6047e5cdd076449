#include "plumb/runs/tensorboard.h"

#include <cstdlib>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace plumb
