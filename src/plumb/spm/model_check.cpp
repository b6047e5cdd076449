#include "plumb/spm/model_check.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace plumb {
namespace {

constexpr char kNoModel[] = "is not a SentencePiece model";
constexpr char kBadTable[] = "its table of characters is damaged";

static_assert(std::endian::native == std::endian::little);  // as the numbers in the file are

// ---- protobuf's wire format ----

/// One field of a message.
struct Field {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  std::string_view bytes;  // of a number: its bytes
};
constexpr uint32_t kVarint = 0, kEightBytes = 1, kWithLength = 2, kFourBytes = 5;

// 7 bits a byte, low ones first. None if it does not end.
std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

// How many bytes the value has that follows its key; none if there are not as many.
std::optional<size_t> value_size(uint32_t wire_type, std::string_view& bytes) {
  std::optional<uint64_t> size;
  std::string_view rest = bytes;
  switch (wire_type) {
    case kVarint:
      if (take_varint(rest)) size = bytes.size() - rest.size();
      break;
    case kEightBytes:
      size = 8;
      break;
    case kFourBytes:
      size = 4;
      break;
    case kWithLength:
      size = take_varint(bytes);
      break;
    default:
      break;
  }
  return size && *size <= bytes.size() ? std::optional<size_t>(*size) : std::nullopt;
}

// All fields of a message; none if it is not one.
std::optional<std::vector<Field>> fields_of(std::string_view bytes) {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    const std::optional<uint64_t> key = take_varint(bytes);
    if (!key || *key > UINT32_MAX) return std::nullopt;
    Field field{static_cast<uint32_t>(*key >> 3), static_cast<uint32_t>(*key & 7), {}};
    const std::optional<size_t> size = value_size(field.wire_type, bytes);
    if (!size) return std::nullopt;
    field.bytes = bytes.substr(0, *size);
    bytes.remove_prefix(*size);
    fields.push_back(field);
  }
  return fields;
}

// ---- the table of the normaliser ----

/// A unit of a double array as darts-clone makes it: a label, whether a key ends here, and the offset of what follows;
/// or, with the highest bit, the value of a key.
class Unit {
 public:
  explicit Unit(uint32_t bits) : bits_(bits) {}
  bool is_value() const { return (bits_ >> 31) != 0; }
  bool ends_key() const { return (bits_ >> 8 & 1) != 0; }
  uint32_t value() const { return bits_ & 0x7FFFFFFF; }
  uint32_t offset() const { return (bits_ >> 10) << ((bits_ & (1U << 9)) >> 6); }

 private:
  uint32_t bits_;
};

Unit unit_at(std::string_view trie, size_t index) {
  uint32_t bits = 0;
  std::memcpy(&bits, trie.data() + index * sizeof bits, sizeof bits);
  return Unit(bits);
}

// A replacement is read up to its NUL. The longest of Unicode's own has 33 bytes; one of megabytes, of which a line
// could have thousands, would fill the memory.
bool is_replacement(std::string_view texts, uint32_t at) {
  constexpr size_t kLongest = 4096;
  if (at >= texts.size()) return false;
  const size_t end = texts.find('\0', at);
  return end != std::string_view::npos && end - at <= kLongest;
}

// Size of the trie (u32), trie, texts that each end in NUL. From unit i the byte c leads to i ^ offset ^ c, and the
// value of a key is at i ^ offset: whatever the text, both must be inside.
bool is_sound_table(std::string_view blob) {
  uint32_t size = 0;
  if (blob.empty()) return true;  // no normalisation
  if (blob.size() <= sizeof size) return false;
  std::memcpy(&size, blob.data(), sizeof size);
  blob.remove_prefix(sizeof size);
  if (size == 0 || size % sizeof(uint32_t) != 0 || size > blob.size()) return false;
  const std::string_view trie = blob.substr(0, size), texts = blob.substr(size);
  const size_t units = size / sizeof(uint32_t);
  for (size_t i = 0; i < units; ++i) {
    const Unit unit = unit_at(trie, i);
    if (unit.is_value() && i > 0) continue;  // no byte leads there; the first one is where everything begins
    const size_t next = i ^ unit.offset();
    if ((next | 0xFF) >= units) return false;
    if (unit.ends_key() && !is_replacement(texts, unit_at(trie, next).value())) return false;
  }
  return true;
}

// ---- the messages of sentencepiece_model.proto ----

std::string piece_problem(std::string_view bytes) {
  constexpr uint32_t kScore = 2;
  const std::optional<std::vector<Field>> fields = fields_of(bytes);
  if (!fields) return kNoModel;
  for (const Field& field : *fields) {
    if (field.number != kScore || field.wire_type != kFourBytes) continue;
    float score = 0;
    std::memcpy(&score, field.bytes.data(), sizeof score);
    if (!std::isfinite(score)) return "the score of a piece is not a finite number";
  }
  return "";
}

std::string normalizer_problem(std::string_view bytes) {
  constexpr uint32_t kPrecompiledCharsmap = 2;
  const std::optional<std::vector<Field>> fields = fields_of(bytes);
  if (!fields) return kNoModel;
  for (const Field& field : *fields) {
    if (field.number != kPrecompiledCharsmap || field.wire_type != kWithLength) continue;
    if (!is_sound_table(field.bytes)) return kBadTable;
  }
  return "";
}

}  // namespace

std::string spm_model_problem(std::string_view bytes) {
  constexpr uint32_t kPieces = 1, kNormalizer = 3, kDenormalizer = 5;
  const std::optional<std::vector<Field>> fields = fields_of(bytes);
  if (!fields) return kNoModel;
  bool whole = false;
  for (const Field& field : *fields) {
    if (field.wire_type != kWithLength) return kNoModel;
    std::string problem;
    if (field.number == kPieces) problem = piece_problem(field.bytes);
    if (field.number == kNormalizer || field.number == kDenormalizer) problem = normalizer_problem(field.bytes);
    if (!problem.empty()) return problem;
    // A model that is cut between two of its fields is still a protobuf, with fewer pieces or without its
    // normalisation. They come in the order pieces, trainer, normaliser: if the last is there, all are.
    whole = whole || field.number == kNormalizer;
  }
  return whole ? "" : kNoModel;
}

}  // namespace plumb
