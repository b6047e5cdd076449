#include "plumb/text/frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

#include <sys/socket.h>
#include <unistd.h>

namespace plumb {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian and copied as they are");

constexpr size_t kFramePiece = size_t{1} << 20;

[[noreturn]] void fail(const char* action) {
  throw std::system_error(errno, std::generic_category(), action);
}

// Less than asked only at the end.
size_t read_fully(int fd, char* into, size_t count) {
  size_t done = 0;
  while (done < count) {
    const ssize_t got = ::read(fd, into + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read a frame");
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

ssize_t write_some(int fd, std::string_view bytes) {
  const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 && errno == ENOTSOCK ? ::write(fd, bytes.data(), bytes.size()) : sent;
}

void write_fully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write_some(fd, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write a frame");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

uint32_t checked_u32(size_t value) {
  if (value > std::numeric_limits<uint32_t>::max()) throw FrameError("more than a frame can hold (4 GB)");
  return static_cast<uint32_t>(value);
}

}  // namespace

void FrameWriter::put_u32(uint32_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void FrameWriter::put_string(std::string_view text) {
  put_u32(checked_u32(text.size()));
  bytes_.append(text);
}

void FrameWriter::put_ids(std::span<const int32_t> ids) {
  put_u32(checked_u32(ids.size()));
  bytes_.append(reinterpret_cast<const char*>(ids.data()), ids.size_bytes());
}

std::string_view FrameReader::take(size_t count) {
  if (count > left_.size()) throw FrameError("the frame is shorter than what it says it holds");
  const std::string_view taken = left_.substr(0, count);
  left_.remove_prefix(count);
  return taken;
}

FrameKind FrameReader::kind() {
  return static_cast<FrameKind>(take(1)[0]);
}

uint8_t FrameReader::u8() {
  return static_cast<uint8_t>(take(1)[0]);
}

uint32_t FrameReader::u32() {
  uint32_t value = 0;
  std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
  return value;
}

std::string_view FrameReader::string() {
  return take(u32());
}

std::vector<int32_t> FrameReader::ids() {
  const size_t count = u32();
  const std::string_view bytes = take(count * sizeof(int32_t));
  std::vector<int32_t> ids(count);
  if (count > 0) std::memcpy(ids.data(), bytes.data(), bytes.size());
  return ids;
}

void FrameReader::end() const {
  if (!left_.empty()) throw FrameError("the frame is longer than what it says it holds");
}

bool read_frame(int fd, std::string& bytes) {
  bytes.clear();
  uint32_t length = 0;
  const size_t got = read_fully(fd, reinterpret_cast<char*>(&length), sizeof(length));
  if (got == 0) return false;
  if (got < sizeof(length)) throw FrameError("the input ends inside a frame");
  while (bytes.size() < length) {  // as it comes: a length of 4 GB costs nothing until the bytes are there
    const size_t begin = bytes.size();
    const size_t count = std::min(kFramePiece, length - begin);
    bytes.resize(begin + count);
    if (read_fully(fd, bytes.data() + begin, count) < count) throw FrameError("the input ends inside a frame");
  }
  return true;
}

void write_frame(int fd, std::string_view bytes) {
  const uint32_t length = checked_u32(bytes.size());
  if (bytes.size() <= kFramePiece) {  // one call for small frames: half the cost of a question and its answer
    std::string whole(reinterpret_cast<const char*>(&length), sizeof(length));
    write_fully(fd, whole.append(bytes));
    return;
  }
  write_fully(fd, {reinterpret_cast<const char*>(&length), sizeof(length)});
  write_fully(fd, bytes);
}

}  // namespace plumb
