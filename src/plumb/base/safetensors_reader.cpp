#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "plumb/base/safetensors.h"
#include "plumb/base/safetensors_header.h"

namespace plumb {
namespace {

struct DTypeRow {
  std::string_view name;
  size_t size;
};

// In the order of the enum.
// clang-format off
constexpr std::array<DTypeRow, 10> kDTypes = {{
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},
    {"I16", 2},  {"F16", 2}, {"BF16", 2},
    {"I32", 4},  {"F32", 4},
    {"F64", 8},  {"I64", 8},
}};  // clang-format on

constexpr size_t kPiece = size_t{1} << 18;

uint64_t read_header_length(const FileDescriptor& file, const std::string& path) {
  std::array<unsigned char, 8> bytes{};
  if (read_at(file, path, std::as_writable_bytes(std::span(bytes)), 0) < bytes.size()) {
    throw_damaged(path, "the file is shorter than 8 bytes");
  }
  uint64_t length = 0;
  for (size_t i = 0; i < bytes.size(); ++i) length |= uint64_t{bytes[i]} << (8 * i);
  return length;
}

}  // namespace

std::string_view dtype_name(DType dtype) {
  return kDTypes.at(static_cast<size_t>(dtype)).name;
}

size_t dtype_size(DType dtype) {
  return kDTypes.at(static_cast<size_t>(dtype)).size;
}

std::optional<DType> dtype_of_name(std::string_view name) {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<uint64_t> tensor_bytes(DType dtype, std::span<const int64_t> shape) {
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  uint64_t bytes = dtype_size(dtype);
  bool empty = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (dimension == 0) {
      empty = true;
    } else if (bytes > most / static_cast<uint64_t>(dimension)) {
      return std::nullopt;
    } else {
      bytes *= static_cast<uint64_t>(dimension);
    }
  }
  return empty ? 0 : bytes;
}

SafetensorsReader::SafetensorsReader(const std::filesystem::path& path) : path_(path.string()) {
  uint64_t file_size = 0;
  file_ = open_to_read(path_, &file_size);
  const uint64_t length = read_header_length(file_, path_);
  if (length > kLongestHeader) {
    throw_damaged(path_, fmt::format("the header claims {} bytes, more than the allowed {}", length, kLongestHeader));
  }
  data_start_ = 8 + length;
  if (data_start_ > file_size) {
    throw_damaged(path_, fmt::format("the header claims {} bytes, but only {} follow", length, file_size - 8));
  }
  SafetensorsHeader header = parse_safetensors_header(file_, path_, length);
  tensors_ = std::move(header.tensors);
  metadata_ = std::move(header.metadata);
  check_names();
  check_layout(file_size - data_start_);

  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  std::ranges::sort(by_name_, {}, [this](uint32_t i) -> const std::string& { return tensors_[i].name; });
}

void SafetensorsReader::check_names() {
  std::ranges::sort(tensors_, {}, &TensorEntry::name);
  const auto twice = std::ranges::adjacent_find(tensors_, {}, &TensorEntry::name);
  if (twice != tensors_.end()) throw_damaged(path_, twice->name, "the name occurs twice");
}

// The tensors must tile the data: whoever finds bytes that belong to two tensors, or to none, has found a forgery or
// a writer's mistake.
void SafetensorsReader::check_layout(uint64_t data_size) {
  std::ranges::sort(tensors_, {}, [](const TensorEntry& t) { return std::tie(t.begin, t.end, t.name); });
  uint64_t covered = 0;
  for (const TensorEntry& tensor : tensors_) {
    if (tensor.end > data_size) {
      throw_damaged(path_, tensor.name,
                    fmt::format("its bytes end at {}, but the data is {} bytes long", tensor.end, data_size));
    }
    if (tensor.begin != covered) {
      throw_damaged(path_, tensor.name,
                    fmt::format("its bytes begin at {}, but those before it end at {}: {}", tensor.begin, covered,
                                tensor.begin < covered ? "an overlap" : "a hole"));
    }
    covered = tensor.end;
  }
  if (covered != data_size) {
    throw_damaged(path_, fmt::format("{} bytes behind the last tensor belong to none", data_size - covered));
  }
}

const TensorEntry* SafetensorsReader::find(std::string_view name) const {
  const auto name_of = [this](uint32_t i) -> std::string_view { return tensors_[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return found != by_name_.end() && name_of(*found) == name ? &tensors_[*found] : nullptr;
}

void SafetensorsReader::check_size(const TensorEntry& entry, size_t bytes) const {
  if (bytes == entry.size()) return;
  throw std::logic_error(
      fmt::format("SafetensorsReader: {} has {} bytes, the buffer {}", in_quotes(entry.name), entry.size(), bytes));
}

void SafetensorsReader::read(const TensorEntry& entry, std::span<std::byte> into) const {
  check_size(entry, into.size());
  if (read_at(file_, path_, into, data_start_ + entry.begin) < into.size()) {
    throw_damaged(path_, entry.name, "the file became shorter while it was read");
  }
}

// Piece by piece, so that the checksum finds each still in the processor's cache.
void SafetensorsReader::read(const TensorEntry& entry, std::span<std::byte> into, Xxh64& checksum) const {
  check_size(entry, into.size());
  for (size_t done = 0; done < into.size();) {
    const std::span<std::byte> piece = into.subspan(done, std::min(kPiece, into.size() - done));
    if (read_at(file_, path_, piece, data_start_ + entry.begin + done) < piece.size()) {
      throw_damaged(path_, entry.name, "the file became shorter while it was read");
    }
    checksum.update(piece);
    done += piece.size();
  }
}

void SafetensorsReader::read_header(Xxh64& checksum) const {
  std::vector<std::byte> header(data_start_);
  if (read_at(file_, path_, header, 0) < header.size()) {
    throw_damaged(path_, "the file became shorter while it was read");
  }
  checksum.update(header);
}

}  // namespace plumb
