#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/file_descriptor.h"
#include "plumb/base/safetensors.h"

namespace plumb {

// The format's own limit, then ours. Ours are far above any model, and bound what a hostile header makes us allocate:
// without them a header of 100 MB turns into gigabytes of small objects.
constexpr uint64_t kLongestHeader = 100'000'000;
constexpr size_t kMostTensors = 100'000;
constexpr size_t kMostMetadata = 100'000;
constexpr size_t kMostDimensions = 32;
constexpr size_t kLongestToken = 1 << 20;  // a string, a number, or blanks in a row

constexpr std::string_view kMetadataKey = "__metadata__";

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the header's order; each has bytes that fit its shape
  Metadata metadata;
};

/// Parses the `length` bytes of JSON that stand behind the first 8 bytes of the file. Checks each tensor by itself;
/// names that occur twice, holes and overlaps are for the caller.
SafetensorsHeader parse_safetensors_header(const FileDescriptor& file, const std::string& path, uint64_t length);

/// A name from the file, in quotes and short enough for a one-line message.
std::string in_quotes(std::string_view name);

[[noreturn]] void throw_damaged(const std::string& path, const std::string& problem);
[[noreturn]] void throw_damaged(const std::string& path, std::string_view tensor, const std::string& problem);

}  // namespace plumb
