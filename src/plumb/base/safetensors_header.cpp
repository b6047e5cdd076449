#include "plumb/base/safetensors_header.h"

#include <algorithm>
#include <array>
#include <istream>
#include <limits>
#include <streambuf>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"

namespace plumb {
namespace {

// Feeds the parser piece by piece. nlohmann's lexer collects a whole string, number or gap before it hands anything
// over, so overlong ones must be stopped here, on the way in.
class HeaderBuffer : public std::streambuf {
 public:
  HeaderBuffer(const FileDescriptor& file, const std::string& path, uint64_t length)
      : file_(file), path_(path), left_(length) {}

 protected:
  int_type underflow() override {
    if (left_ == 0) return traits_type::eof();
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(left_, chunk_.size()));
    const size_t got = read_at(file_, path_, std::as_writable_bytes(std::span(chunk_).first(wanted)), position_);
    if (got < wanted) throw_damaged(path_, "the file became shorter while it was read");
    for (size_t i = 0; i < got; ++i) check(chunk_[i]);
    position_ += got;
    left_ -= got;
    setg(chunk_.data(), chunk_.data(), chunk_.data() + got);
    return traits_type::to_int_type(chunk_[0]);
  }

 private:
  void check(char c) {
    ++run_;
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
        run_ = 0;
      }
      if (run_ > kLongestToken) throw_damaged(path_, "the header holds a string of more than 1 MiB");
      return;
    }
    if (c == '"') in_string_ = true;
    if (c == '"' || std::string_view("{}[]:,").find(c) != std::string_view::npos) run_ = 0;
    if (c == '\0') throw_damaged(path_, "the header holds a zero byte");  // the lexer would take it for the end
    if (run_ > kLongestToken) throw_damaged(path_, "the header holds a number or a gap of more than 1 MiB");
  }

  const FileDescriptor& file_;
  const std::string& path_;
  uint64_t position_ = 8, left_;
  std::array<char, 1 << 16> chunk_;
  bool in_string_ = false, escaped_ = false;
  size_t run_ = 0;
};

// Takes the parser's events and accepts only the one nesting that the format knows, so that nothing else is ever
// stored: {"__metadata__": {string: string}, name: {"dtype": string, "shape": [n, ...], "data_offsets": [n, n]}}.
class HeaderEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderEvents(const std::string& path, SafetensorsHeader& header) : path_(path), header_(header) {}

  bool null() override { reject("null"); }
  bool boolean(bool) override { reject("a truth value"); }
  bool number_integer(int64_t value) override { reject(fmt::format("{}", value)); }  // comes for negative numbers only
  bool number_float(double, const std::string& text) override { reject(text.substr(0, 40)); }
  bool binary(binary_t&) override { reject("bytes"); }

  bool number_unsigned(uint64_t value) override {
    if (place_ == Place::Shape) {
      if (!std::in_range<int64_t>(value)) reject(fmt::format("{}", value));
      if (tensor_.shape.size() == kMostDimensions) fail(fmt::format("it has more than {} dimensions", kMostDimensions));
      tensor_.shape.push_back(static_cast<int64_t>(value));
    } else if (place_ == Place::Offsets) {
      if (offsets_ == 2) fail("data_offsets must hold two numbers, but holds more");
      (offsets_++ == 0 ? tensor_.begin : tensor_.end) = value;
    } else {
      reject("a number");
    }
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::Metadata) {
      if (!header_.metadata.emplace(key_, value).second) {
        throw_damaged(path_, fmt::format("the metadata key {} occurs twice", in_quotes(key_)));
      }
    } else if (place_ == Place::Tensor && field_ == kDType) {
      const auto dtype = dtype_of_name(value);
      if (!dtype) fail(fmt::format("the dtype {} is unknown", in_quotes(value)));
      tensor_.dtype = *dtype;
    } else {
      reject("a string");
    }
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::Start) {
      place_ = Place::Header;
    } else if (place_ == Place::Header && key_ == kMetadataKey) {
      place_ = Place::Metadata;
    } else if (place_ == Place::Header) {
      place_ = Place::Tensor;
      tensor_ = {.name = key_, .shape = {}};
      fields_ = 0;
    } else {
      reject("an object");
    }
    return true;
  }

  bool key(std::string& name) override {
    if (place_ == Place::Tensor) {
      start_field(name);
      return true;
    }
    if (place_ == Place::Header && name == kMetadataKey) {
      if (std::exchange(has_metadata_, true)) throw_damaged(path_, "the key '__metadata__' occurs twice");
    } else if (place_ == Place::Header && header_.tensors.size() == kMostTensors) {
      throw_damaged(path_, fmt::format("the header lists more than {} tensors", kMostTensors));
    } else if (place_ == Place::Metadata && header_.metadata.size() == kMostMetadata) {
      throw_damaged(path_, fmt::format("the metadata has more than {} entries", kMostMetadata));
    }
    key_ = name;  // a copy: the lexer's own string keeps the room of the longest string so far
    return true;
  }

  bool end_object() override {
    if (place_ == Place::Tensor) finish_tensor();
    place_ = place_ == Place::Header ? Place::End : Place::Header;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ == Place::Tensor && field_ == kShape) {
      place_ = Place::Shape;
    } else if (place_ == Place::Tensor && field_ == kOffsets) {
      place_ = Place::Offsets;
      offsets_ = 0;
    } else {
      reject("a list");
    }
    return true;
  }

  bool end_array() override {
    if (place_ == Place::Offsets && offsets_ != 2) fail("data_offsets must hold two numbers, but holds fewer");
    place_ = Place::Tensor;
    return true;
  }

  // The library's message quotes the input, up to a megabyte of it; only the reason is for the reader.
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    std::string reason = error.what();
    if (const size_t dash = reason.find(" - "); dash != std::string::npos) reason.erase(0, dash + 3);
    if (const size_t quote = reason.find("; last read"); quote != std::string::npos) reason.resize(quote);
    if (reason.size() > 160) reason.resize(160);
    throw_damaged(path_, fmt::format("the header is not valid JSON at its byte {}: {}", position, reason));
  }

 private:
  enum class Place { Start, Header, Metadata, Tensor, Shape, Offsets, End };
  static constexpr unsigned kDType = 1, kShape = 2, kOffsets = 4, kAll = 7;

  void start_field(const std::string& name) {
    field_ = name == "dtype" ? kDType : name == "shape" ? kShape : name == "data_offsets" ? kOffsets : 0;
    if (field_ == 0) fail(fmt::format("the field {} is unknown", in_quotes(name)));
    if ((fields_ & field_) != 0) fail(fmt::format("the field {} occurs twice", in_quotes(name)));
    fields_ |= field_;
  }

  void finish_tensor() {
    if (fields_ != kAll) {
      const unsigned absent = kAll & ~fields_;
      fail(fmt::format("the field {} is missing", (absent & kDType) != 0   ? "'dtype'"
                                                  : (absent & kShape) != 0 ? "'shape'"
                                                                           : "'data_offsets'"));
    }
    if (tensor_.begin > tensor_.end) {
      fail(fmt::format("its bytes begin at {} but end at {}", tensor_.begin, tensor_.end));
    }
    const auto bytes = tensor_bytes(tensor_.dtype, tensor_.shape);
    if (!bytes) fail("its dimensions multiply to more than 63 bits");
    if (*bytes != tensor_.end - tensor_.begin) {
      fail(fmt::format("its shape needs {} bytes, but its offsets {} to {} give it {}", *bytes, tensor_.begin,
                       tensor_.end, tensor_.end - tensor_.begin));
    }
    header_.tensors.push_back(std::move(tensor_));
  }

  [[noreturn]] void fail(const std::string& problem) const { throw_damaged(path_, tensor_.name, problem); }

  // A value of the wrong type: says what should stand here.
  [[noreturn]] void reject(const std::string& found) const {
    switch (place_) {
      case Place::Header:
        throw_damaged(path_, fmt::format("the header's entry {} must be an object, but is {}", in_quotes(key_), found));
      case Place::Metadata:
        throw_damaged(path_, fmt::format("the metadata {} must be a string, but is {}", in_quotes(key_), found));
      case Place::Tensor:
        fail(fmt::format("the field {}, but is {}",
                         field_ == kDType   ? "'dtype' must be a string"
                         : field_ == kShape ? "'shape' must be a list"
                                            : "'data_offsets' must be a list",
                         found));
      case Place::Shape:
        fail(fmt::format("a dimension must be a whole number from 0 to 2^63 - 1, but is {}", found));
      case Place::Offsets:
        fail(fmt::format("an offset must be a whole number from 0 to 2^64 - 1, but is {}", found));
      default:
        throw_damaged(path_, fmt::format("the header must be one object, but is {}", found));
    }
  }

  const std::string& path_;
  SafetensorsHeader& header_;
  Place place_ = Place::Start;
  std::string key_;  // of the entry of the header or of the metadata
  bool has_metadata_ = false;
  TensorEntry tensor_;  // the one being read
  unsigned field_ = 0, fields_ = 0;
  int offsets_ = 0;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(const FileDescriptor& file, const std::string& path, uint64_t length) {
  SafetensorsHeader header;
  HeaderEvents events(path, header);
  HeaderBuffer buffer(file, path, length);
  // JSON alone would allow blanks first. Asked of the buffer, because std::istream::peek swallows its exceptions.
  if (buffer.sgetc() != '{') throw_damaged(path, "the header does not start with '{'");
  std::istream stream(&buffer);
  nlohmann::json::sax_parse(stream, &events);
  return header;
}

std::string in_quotes(std::string_view name) {
  constexpr size_t longest = 80;
  if (name.size() <= longest) return fmt::format("'{}'", name);
  size_t cut = longest;
  while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
  return fmt::format("'{}...'", name.substr(0, cut));
}

void throw_damaged(const std::string& path, const std::string& problem) {
  throw DamagedFile(path, problem, "Use another copy of the file, or write it again");
}

void throw_damaged(const std::string& path, std::string_view tensor, const std::string& problem) {
  throw_damaged(path, fmt::format("tensor {}: {}", in_quotes(tensor), problem));
}

}  // namespace plumb
