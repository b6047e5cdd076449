#include "plumb/process/engine_process.h"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

TEST(StartEngine, AddsWhatItSaysAndReplacesWhatItPrints) {
  const TemporaryDirectory folder;
  write_all(folder / "said", "before\n");
  write_all(folder / "out", "a longer text of an earlier time\n");
  Child child = start_engine("sh", {"-c", "echo data; echo talk >&2; cat"}, folder / "said", folder / "out");
  EXPECT_NE(::getpgid(child.pid()), ::getpgrp());
  EXPECT_TRUE(child.wait().succeeded());  // its stdin is empty
  EXPECT_EQ(read_all(folder / "out"), "data\n");
  EXPECT_EQ(read_all(folder / "said"), "before\ntalk\n");
}

TEST(StartEngine, AFolderThatIsNotThereIsTheDisksFault) {
  EXPECT_THROW(start_engine("sh", {"-c", "exit 0"}, "/no/such/folder/said"), DiskError);
}

TEST(LastComplaint, PrefersOurOwnLineAndSkipsEarlierOnes) {
  const TemporaryDirectory folder;
  const std::string before = "plumb: of an earlier call\n";
  const auto complaint = [&](const std::string& text) {
    write_all(folder / "said", before + text);
    return last_complaint(folder / "said", before.size());
  };
  EXPECT_EQ(complaint(""), "");
  EXPECT_EQ(complaint("one\ntwo\n\n"), "two");
  EXPECT_EQ(complaint("plumb: the disk is on fire\nterminate called\n"), "the disk is on fire");
  EXPECT_EQ(last_complaint(folder / "none", 0), "");
}

}  // namespace
}  // namespace plumb
