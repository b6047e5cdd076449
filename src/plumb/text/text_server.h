#pragma once

#include <functional>
#include <memory>

#include "plumb/text/tokenizer.h"

namespace plumb {

/// The other side of PipedTokenizer: answers the frames of frame.h from `in` on `out` until `in` ends, and returns the
/// exit code. A tokeniser that cannot be opened is told to the client in an answer, for it to print; only if nobody
/// asks is it thrown.
int serve_text(const std::function<std::unique_ptr<Tokenizer>()>& open, int in, int out);

/// Makes this process live as long as its parent and no shorter: it ignores SIGINT, SIGTERM, SIGHUP and SIGQUIT, and
/// ends when the parent has ended, even in the middle of work. (When it waits, the end of its input ends it.)
void live_as_long_as_parent();

}  // namespace plumb
