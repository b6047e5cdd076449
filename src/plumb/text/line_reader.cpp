#include "plumb/text/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/text/utf8.h"

namespace plumb {
namespace {

constexpr size_t kLinePiece = 64 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool looks_like_utf16(std::string_view line) {
  return line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF");
}

std::string replace_nul(std::string_view line) {
  std::string clean;
  for (const char c : line) {
    if (c == '\0') {
      clean += kReplacement;
    } else {
      clean += c;
    }
  }
  return clean;
}

// A cut does not ask where characters end: the last one may have lost some of its bytes.
void drop_last_character(std::string& line) {
  for (int i = 0; i < 3 && !line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0) == 0x80; ++i) {
    line.pop_back();
  }
  if (!line.empty()) line.pop_back();
}

}  // namespace

LineReader::LineReader(const std::string& path, LineOptions options)
    : name_(path), options_(options), source_(open_bytes(path)), buffer_(kLinePiece) {}

LineReader::LineReader(FileDescriptor file, std::string name, LineOptions options)
    : name_(std::move(name)), options_(options), source_(open_bytes(std::move(file), name_)), buffer_(kLinePiece) {}

bool LineReader::next(std::string& line) {
  line.clear();
  if (begin_ == end_ && !fill()) return false;
  ++findings_.lines;
  bool whole = true;
  while (true) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const size_t length = std::min(rest.find('\n'), rest.size());
    if (!append(line, rest.substr(0, length))) whole = false;
    const bool ended = length < rest.size();
    begin_ += length + (ended ? 1 : 0);
    findings_.unfinished = !ended;
    if (ended || !fill()) break;
  }
  if (!whole) {
    drop_last_character(line);
    ++findings_.cut;
  }
  finish(line);
  return true;
}

std::vector<std::string> LineReader::rest() {
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (std::string line; next(line);) {
    bytes += line.size() + sizeof(std::string);
    if (bytes > options_.most_at_once) {
      throw UserError(here(), fmt::format("more than {} MB of lines", options_.most_at_once >> 20),
                      "Is this the right file? If so, split it");
    }
    lines.push_back(line);
  }
  return lines;
}

bool LineReader::fill() {
  begin_ = 0;
  end_ = source_->read(buffer_);
  return end_ > 0;
}

// False if there was no room for all of it.
bool LineReader::append(std::string& line, std::string_view part) const {
  const size_t room = options_.longest - line.size();
  line.append(part.substr(0, room));
  if (part.size() <= room) return true;
  if (options_.long_lines == LongLines::Cut) return false;
  throw UserError(here(), fmt::format("the line is longer than {} bytes", options_.longest),
                  "Is this text? If so, break its lines");
}

void LineReader::finish(std::string& line) {
  if (line.ends_with('\r')) {
    line.pop_back();
    ++findings_.carriage;
  }
  if (findings_.lines == 1 && line.starts_with(kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
    findings_.byte_order_mark = true;
  }
  const size_t invalid = find_invalid_utf8(line);
  const size_t nul = line.find('\0');
  if (invalid == std::string::npos && nul == std::string::npos) return;

  if (options_.bad_bytes == BadBytes::Refuse) {
    const bool utf16 = findings_.lines == 1 && looks_like_utf16(line);
    const size_t at = std::min(invalid, nul);
    throw UserError(here(),
                    utf16       ? "the file is UTF-16"
                    : at == nul ? fmt::format("byte {} is NUL, which no text has", at + 1)
                                : fmt::format("byte {} (0x{:02X}) is not UTF-8", at + 1,
                                              static_cast<unsigned>(static_cast<unsigned char>(line[at]))),
                    fmt::format("Convert it: iconv -f {} -t UTF-8", utf16 ? "UTF-16" : "ENCODING"));
  }
  ++findings_.replaced;
  if (invalid != std::string::npos) line = replace_invalid_utf8(line);
  if (nul != std::string::npos) line = replace_nul(line);
}

std::string LineReader::here() const {
  return fmt::format("{}:{}", name_, findings_.lines);
}

uint64_t count_lines(const std::string& path) {
  const std::unique_ptr<ByteSource> source = open_bytes(path);
  std::vector<char> buffer(kLinePiece);
  uint64_t lines = 0;
  char last = '\n';
  while (const size_t got = source->read(buffer)) {
    lines += static_cast<uint64_t>(std::count(buffer.data(), buffer.data() + got, '\n'));
    last = buffer[got - 1];
  }
  return lines + (last == '\n' ? 0 : 1);
}

}  // namespace plumb
