#include "plumb/base/file_descriptor.h"

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) != -1;
}

TEST(FileDescriptor, ClosesItsFileOnce) {
  int number = -1;
  {
    FileDescriptor first(::open("/dev/null", O_RDONLY));
    number = first.get();
    const FileDescriptor second = std::move(first);
    EXPECT_FALSE(first.is_open());
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  EXPECT_EQ(FileDescriptor().close(), 0);
  EXPECT_EQ(FileDescriptor(number).close(), EBADF);
}

TEST(FileDescriptor, ReadsFromAnyPlaceAndSaysHowMuchThereWas) {
  const TemporaryDirectory directory;
  write_all(directory / "a", "0123456789");
  uint64_t size = 0;
  const FileDescriptor file = open_to_read((directory / "a").string(), &size);
  EXPECT_EQ(size, 10u);
  std::array<char, 4> buffer{};
  const auto into = std::as_writable_bytes(std::span(buffer));
  EXPECT_EQ(read_at(file, "a", into, 3), 4u);
  EXPECT_EQ(std::string(buffer.data(), 4), "3456");
  EXPECT_EQ(read_at(file, "a", into, 8), 2u);
  EXPECT_EQ(read_at(file, "a", into, 100), 0u);
}

TEST(FileDescriptor, ReportsADiskThatCannotDeliver) {
  const FileDescriptor directory(::open("/", O_RDONLY));  // opens, but has no bytes to read
  std::array<std::byte, 4> buffer{};
  EXPECT_THROW(read_at(directory, "/", buffer, 0), DiskError);
}

}  // namespace
}  // namespace plumb
