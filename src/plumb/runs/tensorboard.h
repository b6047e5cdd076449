#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// Writes scalars as TensorBoard event files: length, masked CRC-32C of it, a protobuf message, masked CRC-32C of that.
class TensorBoardWriter {
 public:
  /// Opens a new file in `folder`, which is created. A run that is resumed adds a file; TensorBoard joins them. Throws
  /// DiskError if that cannot be.
  explicit TensorBoardWriter(const std::filesystem::path& folder);
  TensorBoardWriter(const TensorBoardWriter&) = delete;
  TensorBoardWriter& operator=(const TensorBoardWriter&) = delete;
  ~TensorBoardWriter();  // writes what is waiting

  /// Waits in memory for flush().
  void scalar(const std::string& tag, int64_t step, double value);

  /// Writes what is waiting, whole records or none: half a record would hide all that follow. Gives what went wrong,
  /// and an empty text if nothing did. These are pictures of what log.jsonl has, so nothing is thrown.
  std::string flush();

 private:
  void event(const std::string& message);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::string waiting_;
  int64_t size_ = 0;  // of the file
};

/// CRC-32C (Castagnoli), the checksum of the records.
uint32_t crc32c(std::string_view bytes);

}  // namespace plumb
