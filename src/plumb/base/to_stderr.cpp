#include "plumb/base/to_stderr.h"

#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace plumb {
namespace {

constexpr int kPatienceMilliseconds = 1000;

// Somebody who shares our terminal may have made it non-blocking. False if it stays full.
bool stderr_has_room() {
  pollfd waiting{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&waiting, 1, kPatienceMilliseconds) > 0;
}

}  // namespace

void write_to_stderr(std::string_view text) noexcept {
  const int before = errno;  // a handler may have interrupted somebody who is about to look at it
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR && !(errno == EAGAIN && stderr_has_room())) {
      break;
    }
  }
  errno = before;
}

}  // namespace plumb
