#include "plumb/base/unicode.h"

namespace plumb {
namespace {

constexpr char32_t kLoneByte = 0xDC00;  // + the byte, as Python's "surrogateescape" does

struct Decoded {
  char32_t point;
  size_t size;
};

// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and numbers past U+10FFFF are
// not UTF-8, so that each code point has one spelling.
Decoded decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const Decoded lone{kLoneByte + byte(0), 1};
  if (byte(0) < 0x80) return {byte(0), 1};
  const size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < size) return lone;
  char32_t point = byte(0) & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return lone;
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kSmallest[size] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return lone;
  return {point, size};
}

bool is_lone_byte(char32_t point) {
  return point >= kLoneByte + 0x80 && point <= kLoneByte + 0xFF;
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decode(text);
    points.push_back(next.point);
    text.remove_prefix(next.size);
  }
  return points;
}

std::string encode_utf8(std::u32string_view points) {
  std::string text;
  const auto add = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  for (const char32_t point : points) {
    if (point < 0x80) {
      add(point);
    } else if (is_lone_byte(point)) {
      add(point - kLoneByte);
    } else if (point < 0x800) {
      add(0xC0 | point >> 6);
      add(0x80 | (point & 0x3F));
    } else {
      if (point < 0x10000) {
        add(0xE0 | point >> 12);
      } else {
        add(0xF0 | point >> 18);
        add(0x80 | (point >> 12 & 0x3F));
      }
      add(0x80 | (point >> 6 & 0x3F));
      add(0x80 | (point & 0x3F));
    }
  }
  return text;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

std::vector<std::string_view> split_at_spaces(std::string_view text) {
  std::vector<std::string_view> words;
  size_t start = 0, at = 0;
  const auto end_word = [&] {
    if (at > start) words.push_back(text.substr(start, at - start));
  };
  while (at < text.size()) {
    const Decoded next = decode(text.substr(at));
    if (is_space(next.point)) {
      end_word();
      start = at + next.size;
    }
    at += next.size;
  }
  end_word();
  return words;
}

std::string_view strip_spaces(std::string_view text) {
  const std::vector<std::string_view> words = split_at_spaces(text);
  if (words.empty()) return {};
  const char* begin = words.front().data();
  const char* end = words.back().data() + words.back().size();
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace plumb
