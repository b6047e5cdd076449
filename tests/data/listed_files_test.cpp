#include "plumb/data/listed_files.h"

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "plumb/base/checked_file.h"
#include "plumb/base/error.h"
#include "plumb/base/sha256.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class ListedFiles : public testing::Test {
 protected:
  ListedFiles() {
    write_all(path("a b.wav"), "first");
    write_all(path("c.wav"), "second");
    write_all(path("list"), path("a b.wav") + "\n" + path("c.wav") + "\n");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string digest() const { return digest_of_listed(path("list"), folder_.path()); }
  static std::string digest_of(const std::string& first, const std::string& second) {
    return sha256_hex(sha256_hex(first) + '\n' + sha256_hex(second) + '\n');
  }
  // A line of what is remembered.
  std::string remembered(const std::string& sum, const std::string& name) const {
    struct stat status {};
    ::stat(path(name).c_str(), &status);
    const auto time = [](const timespec& t) { return t.tv_sec * 1'000'000'000 + t.tv_nsec; };
    return fmt::format("{} {} {} {} {} {}\n", sum, status.st_size, time(status.st_mtim), time(status.st_ctim),
                       status.st_ino, path(name));
  }
  std::string memory() const { return path(fmt::format("sums-{}.txt", sha256_of_file(path("list")).substr(0, 32))); }

  const TemporaryDirectory folder_;
};

TEST_F(ListedFiles, HaveTheDigestOfTheirContents) {
  EXPECT_EQ(digest(), digest_of("first", "second"));
  EXPECT_EQ(digest(), digest_of("first", "second"));
}

TEST_F(ListedFiles, HaveAnotherDigestAsSoonAsOneIsReplaced) {
  digest();
  const auto time = fs::last_write_time(path("c.wav"));
  write_all(path("c.wav"), "SECOND");  // at once, of the same length
  EXPECT_EQ(digest(), digest_of("first", "SECOND"));
  write_all(path("c.wav"), "Second");
  fs::last_write_time(path("c.wav"), time);  // as `cp -p` does
  EXPECT_EQ(digest(), digest_of("first", "Second"));
}

TEST_F(ListedFiles, AreNotReadAgainWhileTheyAreTheSame) {
  const std::string other = sha256_hex("what is remembered");
  write_checked(memory(), remembered(other, "a b.wav"));
  EXPECT_EQ(digest(), sha256_hex(other + '\n' + sha256_hex("second") + '\n'));
  write_all(path("a b.wav"), "longer than it was");
  EXPECT_EQ(digest(), digest_of("longer than it was", "second"));
}

TEST_F(ListedFiles, AreReadAgainIfTheMemoryIsDamaged) {
  write_checked(memory(), remembered(sha256_hex("what is remembered"), "a b.wav"));
  write_all(memory(), remembered(sha256_hex("damage"), "a b.wav"));
  EXPECT_EQ(digest(), digest_of("first", "second"));
  write_checked(memory(), "nothing of the kind\n\n" + std::string(100, 'x'));
  EXPECT_EQ(digest(), digest_of("first", "second"));
}

TEST_F(ListedFiles, ThatAreGoneAreNamed) {
  fs::remove(path("c.wav"));
  EXPECT_THROW(digest(), UserError);
}

}  // namespace
}  // namespace plumb
