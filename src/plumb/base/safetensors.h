#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/file_descriptor.h"
#include "plumb/base/xxh64.h"

namespace plumb {

/// Element types of a safetensors file, in the order of the reference implementation: its writer lays tensors out by
/// descending type, so every tensor starts at a multiple of its element size.
enum class DType : uint8_t { Bool, U8, I8, I16, F16, BF16, I32, F32, F64, I64 };

std::string_view dtype_name(DType dtype);  // as in the file: "BOOL", "F32", ...
size_t dtype_size(DType dtype);            // bytes per element
std::optional<DType> dtype_of_name(std::string_view name);

/// The bytes of a tensor of this shape; nothing if they do not fit 63 bits or a dimension is negative. Strict about
/// empty tensors too: the other dimensions must fit even if one is 0, because strides are computed from them.
std::optional<uint64_t> tensor_bytes(DType dtype, std::span<const int64_t> shape);

/// One tensor of a file. Offsets count from the start of the data, behind the header.
struct TensorEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;

  size_t size() const { return static_cast<size_t>(end - begin); }
};

using Metadata = std::map<std::string, std::string>;

/// Reads a safetensors file that may be damaged or hostile. The constructor checks everything that the format
/// promises, before anything is used; what it allocates stays below 64 MB plus the length of the header, whatever
/// the header says. The tensors' bytes stay on the disk until read() copies them to where the caller wants them.
///
/// Throws UserError if there is no such file, DamagedFile if it is not a whole safetensors file.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::filesystem::path& path);

  const std::vector<TensorEntry>& tensors() const { return tensors_; }  // in the order of their bytes
  const TensorEntry* find(std::string_view name) const;                 // null if absent
  const Metadata& metadata() const { return metadata_; }

  /// `into` must have exactly entry.size() bytes.
  void read(const TensorEntry& entry, std::span<std::byte> into) const;
  /// The same, and adds the bytes to a checksum on their way.
  void read(const TensorEntry& entry, std::span<std::byte> into, Xxh64& checksum) const;
  /// Adds everything before the tensors to a checksum. With the tensors after it, in the order of tensors(), it is that
  /// of the whole file.
  void read_header(Xxh64& checksum) const;

 private:
  void check_names();
  void check_layout(uint64_t data_size);
  void check_size(const TensorEntry& entry, size_t bytes) const;

  std::string path_;
  FileDescriptor file_;
  uint64_t data_start_ = 0;
  std::vector<TensorEntry> tensors_;
  std::vector<uint32_t> by_name_;  // indices into tensors_
  Metadata metadata_;
};

/// A tensor to write: little-endian bytes in C order, owned by the caller.
struct TensorSource {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Writes a file whole or not at all (AtomicFile), byte for byte as the reference implementation would. Tensors may
/// come in any order. A source whose bytes do not fit its shape is a std::logic_error.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorSource> tensors,
                       const Metadata& metadata = {{"format", "pt"}});

}  // namespace plumb
