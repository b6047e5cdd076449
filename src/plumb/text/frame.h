#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The language of `plumb text serve`. Each side sends frames: a length (u32) and as many bytes. All numbers are
/// little-endian; a string is a length (u32) and its bytes, whatever they are. The client sends a request and reads
/// its answer before the next request; an answer begins with the letter of its request, or with '!'.
///
///     request                                       answer
///     'I'                                           'I' size (u32), fingerprint (string)
///     'V'                                           'V' count (u32), that many strings: the token of each id
///     'E' count (u32), that many strings            'E' count (u32), that many lists: length (u32), ids (i32 each)
///     'D' count (u32), that many lists              'D' count (u32), that many strings
///                                                   '!' exit code (u8), message (string, one line)
///
/// After '!' the server goes on, unless it could not load its model: then it ends with that exit code. It ends with 0
/// when its input ends between two frames. Each side reads a whole frame before it writes, so large frames cannot
/// block both.
enum class FrameKind : char { Info = 'I', Vocabulary = 'V', Encode = 'E', Decode = 'D', Failure = '!' };

/// The other side does not speak this language, or stopped in the middle of a word.
struct FrameError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Puts a frame together.
class FrameWriter {
 public:
  explicit FrameWriter(FrameKind kind) : bytes_(1, static_cast<char>(kind)) {}

  void put_u8(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void put_u32(uint32_t value);
  void put_string(std::string_view text);
  void put_ids(std::span<const int32_t> ids);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes a frame apart. What is not there throws FrameError.
class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : left_(bytes) {}

  FrameKind kind();
  uint8_t u8();
  uint32_t u32();
  std::string_view string();
  std::vector<int32_t> ids();

  /// Throws FrameError if something is left.
  void end() const;

 private:
  std::string_view take(size_t count);

  std::string_view left_;
};

/// False if the other side has ended between two frames. FrameError if it ended inside one, std::system_error if the
/// system fails.
bool read_frame(int fd, std::string& bytes);

/// std::system_error if the other side is gone (EPIPE, never the signal) or the system fails; FrameError if the frame
/// is too long for its length.
void write_frame(int fd, std::string_view bytes);

}  // namespace plumb
