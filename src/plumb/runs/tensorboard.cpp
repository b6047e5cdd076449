#include "plumb/runs/tensorboard.h"

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plumb/base/disk_remedy.h"
#include "plumb/base/error.h"
#include "plumb/base/make_folder.h"

namespace plumb {
namespace {

constexpr std::array<uint32_t, 256> kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0x82F63B78u : 0);
    table[i] = c;
  }
  return table;
}();

// CRCs of data that holds CRCs are weak: TensorFlow rotates and offsets them.
uint32_t masked(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

template <class T>
std::string little_endian(T value) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string varint(uint64_t value) {
  std::string bytes;
  while (value >= 0x80) {
    bytes += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return bytes + static_cast<char>(value);
}

// Fields of the protobuf messages Event, Summary and Summary.Value, by number and wire type.
std::string field(int number, int wire_type) {
  return varint(static_cast<uint64_t>(number << 3 | wire_type));
}
std::string bytes_field(int number, const std::string& bytes) {
  return field(number, 2) + varint(bytes.size()) + bytes;
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string event_head(int64_t step) {
  return field(1, 1) + little_endian(now()) + field(2, 0) + varint(static_cast<uint64_t>(step));
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (char byte : bytes) crc = kCrcTable[(crc ^ static_cast<uint8_t>(byte)) & 0xFF] ^ (crc >> 8);
  return crc ^ 0xFFFFFFFFu;
}

TensorBoardWriter::TensorBoardWriter(const std::filesystem::path& folder) {
  constexpr char kRemedy[] = "Remove what is in its place, or set train.tensorboard = false";
  make_folder(folder, kRemedy);
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  const std::string name =
      fmt::format("events.out.tfevents.{}.{}.{}", static_cast<int64_t>(now()), host, static_cast<int64_t>(getpid()));
  path_ = folder / name;
  file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  struct stat status {};
  if (!file_.is_open() || ::fstat(file_.get(), &status) != 0) {
    throw DiskError(path_.string(), "cannot be created: " + reason_of(errno), kRemedy);
  }
  size_ = status.st_size;  // a run that is resumed within a second has the same name
  event(field(1, 1) + little_endian(now()) + bytes_field(3, "brain.Event:2"));
}

void TensorBoardWriter::scalar(const std::string& tag, int64_t step, double value) {
  const std::string entry = bytes_field(1, tag) + field(2, 5) + little_endian(static_cast<float>(value));
  event(event_head(step) + bytes_field(5, bytes_field(1, entry)));
}

void TensorBoardWriter::event(const std::string& message) {
  const std::string length = little_endian(static_cast<uint64_t>(message.size()));
  waiting_ += length + little_endian(masked(crc32c(length))) + message + little_endian(masked(crc32c(message)));
}

std::string TensorBoardWriter::flush() {
  const std::string bytes = std::exchange(waiting_, {});
  const int error = write_fully(file_, std::as_bytes(std::span(bytes)));
  if (error == 0) {
    size_ += std::ssize(bytes);
    return "";
  }
  [[maybe_unused]] const int ignored = ::ftruncate(file_.get(), size_);
  return DiskError(path_.string(), "cannot be written: " + reason_of(error), disk_remedy(error)).what();
}

TensorBoardWriter::~TensorBoardWriter() {
  flush();
}

}  // namespace plumb
