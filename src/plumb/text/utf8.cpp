#include "plumb/text/utf8.h"

#include <cstdint>
#include <cstring>

namespace plumb {
namespace {

struct Sequence {
  size_t length;  // of the code point, or of the invalid sequence
  bool valid;
};

bool between(char c, int low, int high) {
  const int byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

// Unicode 15, table 3-7: the second byte has a range of its own after four of the lead bytes; that is what keeps
// overlong forms, surrogates and numbers above U+10FFFF out.
Sequence sequence_at(std::string_view text, size_t at) {
  const int lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {1, true};
  const size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (length == 0) return {1, false};
  const int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < length; ++i) {
    const bool fits =
        at + i < text.size() && (i == 1 ? between(text[at + 1], low, high) : between(text[at + i], 0x80, 0xBF));
    if (!fits) return {i, false};
  }
  return {length, true};
}

// Most text is mostly ASCII: eight bytes at a time.
size_t skip_ascii(std::string_view text, size_t at) {
  for (uint64_t block = 0; at + sizeof(block) <= text.size(); at += sizeof(block)) {
    std::memcpy(&block, text.data() + at, sizeof(block));
    if (block & 0x8080808080808080) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  for (size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const Sequence sequence = sequence_at(text, at);
    if (!sequence.valid) return at;
    at += sequence.length;
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string clean;
  size_t kept = 0;  // everything before it is in `clean`
  for (size_t at = 0; at < text.size();) {
    const Sequence sequence = sequence_at(text, at);
    if (!sequence.valid) {
      clean.append(text.substr(kept, at - kept)).append(kReplacement);
      kept = at + sequence.length;
    }
    at += sequence.length;
  }
  return clean.append(text.substr(kept));
}

size_t code_point_length(std::string_view text, size_t at) {
  const Sequence sequence = sequence_at(text, at);
  return sequence.valid ? sequence.length : 1;
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Sequence sequence = sequence_at(text, at);
    char32_t point = static_cast<unsigned char>(text[at]);
    if (!sequence.valid) {
      point = 0xFFFD;
    } else if (sequence.length > 1) {
      point &= 0x7Fu >> sequence.length;
      for (size_t i = 1; i < sequence.length; ++i) {
        point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
      }
    }
    points.push_back(point);
    at += sequence.length;
  }
  return points;
}

}  // namespace plumb
