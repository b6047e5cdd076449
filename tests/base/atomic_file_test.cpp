#include "plumb/base/atomic_file.h"

#include <filesystem>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

auto files_in(const TemporaryDirectory& directory) {
  return std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator());
}

// A full disk without a disk: the kernel refuses to let any file of this process grow beyond the limit.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "model.bin";
  AtomicFile file(path);
  file.write("half ");
  file.write("and half");
  EXPECT_FALSE(fs::exists(path));
  file.commit();
  EXPECT_EQ(read_all(path), "half and half");
  EXPECT_EQ(files_in(directory), 1);
}

TEST(AtomicFile, ReplacesTheOldFileInOneStep) {
  const TemporaryDirectory directory;
  write_all(directory / "a", "old");
  AtomicFile file(directory / "a");
  file.write("new");
  EXPECT_EQ(read_all(directory / "a"), "old");
  file.commit();
  EXPECT_EQ(read_all(directory / "a"), "new");
}

TEST(AtomicFile, WritesThroughLinks) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "there");
  write_all(directory / "there" / "a", "old");
  fs::create_symlink("there/a", directory / "near");
  fs::create_symlink("near", directory / "far");
  fs::create_symlink("there/b", directory / "to_nothing");
  write_whole(directory / "far", "new");
  write_whole(directory / "to_nothing", "first");
  EXPECT_EQ(read_all(directory / "there" / "a"), "new");
  EXPECT_EQ(read_all(directory / "there" / "b"), "first");
  for (const char* link : {"near", "far", "to_nothing"}) EXPECT_TRUE(fs::is_symlink(directory / link)) << link;
}

TEST(AtomicFile, DoesNotReplaceWhatIsNoFile) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", directory / "link");
  for (const char* name : {"pipe", "link"}) EXPECT_THROW(write_whole(directory / name, "x"), UserError) << name;
  EXPECT_TRUE(fs::is_fifo(directory / "pipe"));
  EXPECT_EQ(files_in(directory), 2);
}

TEST(AtomicFile, LeavesNothingBehindWhenAbandoned) {
  const TemporaryDirectory directory;
  write_all(directory / "a", "old");
  {
    AtomicFile file(directory / "a");
    file.write("new");
    EXPECT_EQ(files_in(directory), 2);
  }
  EXPECT_EQ(read_all(directory / "a"), "old");
  EXPECT_EQ(files_in(directory), 1);
}

TEST(AtomicFile, KeepsTheOldFileWhenTheDiskRefuses) {
  const TemporaryDirectory directory;
  write_all(directory / "a", "old");
  try {
    const FileSizeLimit limit(4096);
    write_whole(directory / "a", std::string(10'000, 'x'));
    FAIL() << "no exception";
  } catch (const DiskError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.exit_code(), Exit::Disk);
    EXPECT_NE(message.find((directory / "a").string()), std::string::npos) << message;
    EXPECT_NE(message.find("cannot be written: File too large. "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_EQ(read_all(directory / "a"), "old");
  EXPECT_EQ(files_in(directory), 1);
}

TEST(AtomicFile, SaysThatTheDirectoryIsMissing) {
  const TemporaryDirectory directory;
  try {
    AtomicFile file(directory / "absent/a");
    FAIL() << "no exception";
  } catch (const DiskError& error) {
    EXPECT_NE(std::string(error.what()).find("No such file or directory. Create the directory first"),
              std::string::npos)
        << error.what();
  }
}

TEST(AtomicFile, RefusesToReplaceADirectory) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "d");
  EXPECT_THROW(write_whole(directory / "d", "text"), DiskError);
  EXPECT_TRUE(fs::is_directory(directory / "d"));
  EXPECT_EQ(files_in(directory), 1);
}

TEST(AtomicFile, AcceptsTheLongestNameAndABareName) {
  const TemporaryDirectory directory;
  write_whole(directory / std::string(255, 'n'), "text");
  EXPECT_EQ(read_all(directory / std::string(255, 'n')), "text");

  const fs::path before = fs::current_path();
  fs::current_path(directory.path());
  write_whole("bare", "text");
  fs::current_path(before);
  EXPECT_EQ(read_all(directory / "bare"), "text");
}

TEST(AtomicFile, GivesTheRightsThatAnyNewFileGets) {
  const TemporaryDirectory directory;
  write_all(directory / "usual", "");
  write_whole(directory / "ours", "");
  EXPECT_EQ(fs::status(directory / "ours").permissions(), fs::status(directory / "usual").permissions());
}

TEST(AtomicFile, RefusesWritesAfterTheEnd) {
  const TemporaryDirectory directory;
  AtomicFile file(directory / "a");
  file.commit();
  EXPECT_THROW(file.write("more"), std::logic_error);
  EXPECT_THROW(file.commit(), std::logic_error);
}

}  // namespace
}  // namespace plumb
