#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/file_descriptor.h"
#include "plumb/text/byte_source.h"

namespace plumb {

/// What to do with bytes that no text has: invalid UTF-8, and NUL. A corpus refuses them (the file is in another
/// encoding, and the model would learn its ruins); generation replaces them by U+FFFD, because each line that goes in
/// must come out as one line.
enum class BadBytes { Refuse, Replace };

/// What to do with a line that is too long to be one: the same two answers, for the same two reasons.
enum class LongLines { Refuse, Cut };

struct LineOptions {
  BadBytes bad_bytes = BadBytes::Refuse;
  size_t longest = size_t{16} << 20;  // bytes; a longer line must not fill the memory
  LongLines long_lines = LongLines::Refuse;
  size_t most_at_once = size_t{1} << 30;  // bytes that rest() may keep
};

/// Reads text line by line, plain or gzip, in the memory of one line. Line ends are LF or CRLF, the last line may do
/// without, and a byte order mark at the start is left out. Errors name the file and the line.
class LineReader {
 public:
  explicit LineReader(const std::string& path, LineOptions options = {});
  LineReader(FileDescriptor file, std::string name, LineOptions options = {});

  /// False at the end, and `line` is then empty.
  bool next(std::string& line);

  /// All lines that are left. UserError if they would fill the memory: a packed file can be a thousand times as long as
  /// it looks.
  std::vector<std::string> rest();

  /// True if the next call would have to ask the system for bytes, and so may wait: the moment to flush what is ready.
  bool would_wait() const { return begin_ == end_; }

  const std::string& name() const { return name_; }

  /// What was met so far.
  struct Findings {
    uint64_t lines = 0;
    uint64_t replaced = 0;  // lines with bad bytes that were replaced
    uint64_t carriage = 0;  // lines that ended in CRLF
    uint64_t cut = 0;       // lines of which only the beginning was kept
    bool byte_order_mark = false;
    bool unfinished = false;  // the last line had no line end
  };
  const Findings& findings() const { return findings_; }

 private:
  bool fill();
  bool append(std::string& line, std::string_view part) const;
  void finish(std::string& line);
  std::string here() const;

  std::string name_;
  LineOptions options_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // what of the buffer is not used yet
  Findings findings_;
};

/// How many lines LineReader would find, without looking at what they hold.
uint64_t count_lines(const std::string& path);

}  // namespace plumb
