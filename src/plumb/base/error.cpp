#include "plumb/base/error.h"

#include <algorithm>
#include <string_view>

namespace plumb {
namespace {

// A file name or a value quoted in a message may hold line breaks or terminal codes: one line stays one line.
std::string printable(std::string line) {
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return line;
}

bool continues_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The beginning and the end of a text that is too long, whole characters of both.
std::string cut(std::string_view text, size_t most) {
  constexpr std::string_view kGap = "...";
  if (text.size() <= most) return std::string(text);
  size_t head = most * 2 / 3, tail = text.size() - (most - head - kGap.size());
  while (head > 0 && continues_code_point(text[head])) --head;
  while (tail < text.size() && continues_code_point(text[tail])) ++tail;
  return std::string(text.substr(0, head)).append(kGap).append(text.substr(tail));
}

// A key or a value of a hostile file may have any length: each word is cut, and then the whole.
std::string cut_words(std::string_view text) {
  constexpr size_t kMostOfWord = 300, kMostOfAll = 3000;
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    result += cut(text.substr(begin, end - begin), kMostOfWord);
    if (end < text.size()) result += ' ';
    begin = end + 1;
  }
  return cut(result, kMostOfAll);
}

constexpr size_t kMostOfPlace = 1000, kMostOfLine = 8000;

}  // namespace

Error::Error(Exit exit, const std::string& where, const std::string& problem, const std::string& remedy)
    : std::runtime_error(printable(cut(where, kMostOfPlace) + ": " + cut_words(problem) + ". " + cut_words(remedy))),
      exit_(exit) {}

Error::Error(Exit exit, const std::string& line) : std::runtime_error(printable(cut(line, kMostOfLine))), exit_(exit) {}

}  // namespace plumb
