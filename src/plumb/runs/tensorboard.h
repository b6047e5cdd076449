#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace plumb {

/// Writes scalars as TensorBoard event files: length, masked CRC-32C of it, a protobuf message, masked CRC-32C of that.
class TensorBoardWriter {
 public:
  /// Opens a new file in `folder`, which is created. A run that is resumed adds a file; TensorBoard joins them.
  explicit TensorBoardWriter(const std::filesystem::path& folder);

  void scalar(const std::string& tag, int64_t step, double value);
  void flush() { file_.flush(); }

 private:
  void event(const std::string& message);

  std::ofstream file_;
};

/// CRC-32C (Castagnoli), the checksum of the records.
uint32_t crc32c(std::string_view bytes);

}  // namespace plumb
