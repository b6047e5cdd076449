#include "plumb/text/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

constexpr size_t kPiece = 64 * 1024;
constexpr unsigned char kGzip[] = {0x1F, 0x8B};

// The bytes as they are. The first ones may have been looked at already: they come again.
class PlainBytes : public ByteSource {
 public:
  PlainBytes(FileDescriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  size_t read(std::span<char> into) override {
    if (!looked_at_.empty()) {
      const size_t count = std::min(into.size(), looked_at_.size());
      std::copy_n(looked_at_.begin(), count, into.begin());
      looked_at_.erase(0, count);
      return count;
    }
    while (true) {
      const ssize_t got = ::read(file_.get(), into.data(), into.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) throw DiskError(name_, "cannot be read: " + reason_of(errno), "Check the disk or the pipe");
    }
  }

  // Waits for a second byte only if the first could be gzip's.
  bool begins_as_gzip() {
    std::string start;
    for (const unsigned char expected : kGzip) {
      char byte = 0;
      if (read({&byte, 1}) == 0) break;
      start.push_back(byte);
      if (static_cast<unsigned char>(byte) != expected) break;
    }
    looked_at_ = start;
    return start.size() == std::size(kGzip) && static_cast<unsigned char>(start[1]) == kGzip[1];
  }

  const std::string& name() const { return name_; }

 private:
  FileDescriptor file_;
  std::string name_;
  std::string looked_at_;
};

// Unpacks gzip, also several packed files one after another (as bgzip and `cat a.gz b.gz` make them) and padding with
// zeros (as tapes do).
class GzipBytes : public ByteSource {
 public:
  explicit GzipBytes(std::unique_ptr<PlainBytes> packed) : packed_(std::move(packed)), buffer_(kPiece) {
    constexpr int kGzipWindow = 15 + 16;  // zlib's way to say: the gzip format, any window
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override { ::inflateEnd(&stream_); }

  size_t read(std::span<char> into) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(std::min(into.size(), kPiece));
    const size_t wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (between_members_ && !next_member()) return 0;
      if (stream_.avail_in == 0 && !refill()) damaged("ends too early");
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        between_members_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        damaged(result == Z_MEM_ERROR ? "needs more memory than there is" : "does not unpack");
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  bool refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(packed_->read(buffer_));
    return stream_.avail_in > 0;
  }

  bool next_member() {
    if (stream_.avail_in == 0 && !refill()) return false;
    while (started_ && *stream_.next_in == 0) {
      ++stream_.next_in;
      if (--stream_.avail_in == 0 && !refill()) return false;
    }
    if (started_) ::inflateReset(&stream_);
    started_ = true;
    between_members_ = false;
    return true;
  }

  [[noreturn]] void damaged(const char* problem) const {
    throw DamagedFile(packed_->name(), std::string("begins as gzip but ") + problem, "Copy or pack it again");
  }

  std::unique_ptr<PlainBytes> packed_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool started_ = false, between_members_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(FileDescriptor file, std::string name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    throw UserError(name, "cannot be read: " + reason_of(errno), "Give a file or a pipe");
  }
  if (S_ISDIR(status.st_mode)) throw UserError(name, "is a directory", "Give the name of a file");
  auto plain = std::make_unique<PlainBytes>(std::move(file), std::move(name));
  if (!plain->begins_as_gzip()) return plain;
  return std::make_unique<GzipBytes>(std::move(plain));
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    throw UserError(path, "cannot be opened: " + reason_of(errno), "Check the name and your right to read it");
  }
  return open_bytes(std::move(file), path);
}

}  // namespace plumb
