#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/safetensors.h"
#include "plumb/base/safetensors_header.h"

namespace plumb {
namespace {

using Order = std::vector<const TensorSource*>;

// What the reader would refuse must not be written: a checkpoint that cannot be loaded is worse than none.
void require(bool condition, std::string_view name, std::string_view problem) {
  if (!condition) throw std::logic_error(fmt::format("write_safetensors: {}: {}", in_quotes(name), problem));
}

// Not fmt::join: g++ 12 at -O3 warns inside fmt 9 about it, wrongly.
std::string list_of(std::span<const int64_t> shape) {
  std::string text;
  for (const int64_t dimension : shape) text += (text.empty() ? "" : ",") + std::to_string(dimension);
  return text;
}

Order file_order(std::span<const TensorSource> tensors) {
  Order order;
  order.reserve(tensors.size());
  for (const TensorSource& tensor : tensors) order.push_back(&tensor);
  std::ranges::sort(order, [](const TensorSource* a, const TensorSource* b) {
    return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name;
  });
  return order;
}

void check_names(std::span<const TensorSource> tensors) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const TensorSource& tensor : tensors) names.push_back(tensor.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) require(false, *twice, "the name occurs twice");
}

void check(const TensorSource& tensor) {
  require(tensor.name != kMetadataKey, tensor.name, "the name is reserved");
  require(tensor.shape.size() <= kMostDimensions, tensor.name, "too many dimensions");
  const auto bytes = tensor_bytes(tensor.dtype, tensor.shape);
  require(bytes == tensor.bytes.size(), tensor.name,
          fmt::format("shape [{}] of {} needs {} bytes, but has {}", list_of(tensor.shape), dtype_name(tensor.dtype),
                      bytes.value_or(0), tensor.bytes.size()));
}

std::string json_string(const std::string& text) {
  std::string written;
  try {
    written = nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    require(false, text, "the text is not UTF-8");
  }
  require(written.size() <= kLongestToken, text, "the text is too long");
  return written;
}

std::string header_of(const Order& order, const Metadata& metadata) {
  std::string header = "{";
  const char* comma = "";
  if (!metadata.empty()) {
    header += fmt::format("{}:{{", json_string(std::string(kMetadataKey)));
    for (const auto& [key, value] : metadata) {
      header += fmt::format("{}{}:{}", std::exchange(comma, ","), json_string(key), json_string(value));
    }
    header += "}";
  }
  uint64_t begin = 0;
  comma = metadata.empty() ? "" : ",";
  for (const TensorSource* tensor : order) {
    const uint64_t end = begin + tensor->bytes.size();
    header += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", std::exchange(comma, ","),
                          json_string(tensor->name), dtype_name(tensor->dtype), list_of(tensor->shape), begin, end);
    begin = end;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the data then starts at a multiple of 8, fit to be mapped
  return header;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const TensorSource> tensors,
                       const Metadata& metadata) {
  require(tensors.size() <= kMostTensors, path.string(), "too many tensors");
  require(metadata.size() <= kMostMetadata, path.string(), "too much metadata");
  check_names(tensors);
  std::ranges::for_each(tensors, check);
  const Order order = file_order(tensors);
  const std::string header = header_of(order, metadata);
  require(header.size() <= kLongestHeader, path.string(), "the header is longer than the format allows");

  std::array<std::byte, 8> length{};
  for (size_t i = 0; i < length.size(); ++i) length[i] = static_cast<std::byte>(header.size() >> (8 * i));
  AtomicFile file(path);
  file.write(length);
  file.write(header);
  for (const TensorSource* tensor : order) file.write(tensor->bytes);
  file.commit();
}

}  // namespace plumb
