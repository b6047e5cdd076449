#include "plumb/data/listed_files.h"

#include <cerrno>
#include <ctime>
#include <sstream>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "plumb/base/checked_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/base/progress.h"
#include "plumb/base/sha256.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHexDigits = 64;

int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

/// What changes with every change of a file, unless somebody turns the clock back.
struct Version {
  std::string text;  // size, mtime, ctime, inode
  int64_t changed;   // ctime
};

Version version_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw UserError(path, "cannot be opened: " + reason_of(errno), "Check the path and permissions");
  }
  const int64_t changed = nanoseconds(status.st_ctim);
  return {fmt::format("{} {} {} {}", status.st_size, nanoseconds(status.st_mtim), changed, status.st_ino), changed};
}

// A file that was written a moment ago may be written again without another time: the clock of a disk has steps.
bool has_settled(const Version& version) {
  constexpr int64_t kStep = 100'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - version.changed > kStep;
}

/// Checksums by version and path, a line each: checksum, version, path.
class Remembered {
 public:
  explicit Remembered(fs::path file) : file_(std::move(file)) {
    if (!is_intact(file_)) return;
    std::istringstream lines(file_content(file_));
    for (std::string line; std::getline(lines, line);) {
      if (line.size() > kHexDigits) sums_[line.substr(kHexDigits + 1)] = line.substr(0, kHexDigits);
    }
  }

  std::string sum(const std::string& path) {
    const Version version = version_of(path);
    const std::string key = version.text + ' ' + path;
    const auto known = sums_.find(key);
    const std::string sum = known == sums_.end() ? sha256_of_file(path) : known->second;
    changed_ = changed_ || known == sums_.end();
    if (has_settled(version)) keep_ += sum + ' ' + key + '\n';
    return sum;
  }

  void save() const {
    if (changed_) write_checked(file_, keep_);
  }

 private:
  fs::path file_;
  std::unordered_map<std::string, std::string> sums_;
  std::string keep_;
  bool changed_ = false;
};

}  // namespace

std::string digest_of_listed(const std::string& list, const fs::path& cache) {
  const std::vector<std::string> paths = LineReader(list).rest();
  Remembered remembered(cache / fmt::format("sums-{}.txt", sha256_of_file(list).substr(0, 32)));
  Progress progress("checking " + fs::path(list).filename().string(), paths.size());
  Sha256 all;
  for (const std::string& path : paths) {
    all.update(remembered.sum(path) + '\n');
    progress.advance(1);
  }
  remembered.save();
  return all.hex_digest();
}

}  // namespace plumb
