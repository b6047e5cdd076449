#include "plumb/text/text_server.h"

#include <csignal>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/text/frame.h"

namespace plumb {
namespace {

FrameWriter encode(const Tokenizer& tokenizer, FrameReader& request) {
  const uint32_t count = request.u32();
  FrameWriter answer(FrameKind::Encode);
  answer.put_u32(count);
  for (uint32_t i = 0; i < count; ++i) answer.put_ids(tokenizer.encode(request.string()));
  return answer;
}

FrameWriter decode(const Tokenizer& tokenizer, FrameReader& request) {
  const uint32_t count = request.u32();
  FrameWriter answer(FrameKind::Decode);
  answer.put_u32(count);
  for (uint32_t i = 0; i < count; ++i) answer.put_string(tokenizer.decode(request.ids()));
  return answer;
}

FrameWriter info(const Tokenizer& tokenizer) {
  FrameWriter answer(FrameKind::Info);
  answer.put_u32(static_cast<uint32_t>(tokenizer.size()));
  answer.put_string(tokenizer.fingerprint());
  return answer;
}

FrameWriter vocabulary(const Tokenizer& tokenizer) {
  const std::vector<std::string> tokens = tokenizer.vocabulary();
  FrameWriter answer(FrameKind::Vocabulary);
  answer.put_u32(static_cast<uint32_t>(tokens.size()));
  for (const std::string& token : tokens) answer.put_string(token);
  return answer;
}

FrameWriter answer_to(const Tokenizer& tokenizer, FrameReader request) {
  const FrameKind kind = request.kind();
  switch (kind) {
    case FrameKind::Info:
      request.end();
      return info(tokenizer);
    case FrameKind::Vocabulary:
      request.end();
      return vocabulary(tokenizer);
    case FrameKind::Encode:
    case FrameKind::Decode: {
      FrameWriter answer = kind == FrameKind::Encode ? encode(tokenizer, request) : decode(tokenizer, request);
      request.end();
      return answer;
    }
    case FrameKind::Failure:
      break;
  }
  throw FrameError(fmt::format("there is no request of kind 0x{:02X}", static_cast<unsigned char>(kind)));
}

FrameWriter failure(Exit exit, const std::string& line) {
  FrameWriter answer(FrameKind::Failure);
  answer.put_u8(static_cast<uint8_t>(exit));
  answer.put_string(line);
  return answer;
}

FrameWriter answer_or_failure(const Tokenizer& tokenizer, const std::string& request) {
  try {
    return answer_to(tokenizer, FrameReader(request));
  } catch (const Error& error) {
    return failure(error.exit_code(), error.what());
  } catch (const FrameError& error) {
    return failure(Exit::OurMistake,
                   Error(Exit::OurMistake, "plumb text serve", error.what(), "See text/frame.h").what());
  } catch (const std::exception& error) {  // a line that there is no memory for, for example
    return failure(Exit::OurMistake, fmt::format("plumb text serve: internal error: {}", error.what()));
  }
}

pid_t parent = 0;

// The signal comes when the *thread* that started us ends; only the end of its process is meant.
void end_if_orphan(int) {
  if (::getppid() != parent) ::_exit(0);
}

}  // namespace

int serve_text(const std::function<std::unique_ptr<Tokenizer>()>& open, int in, int out) {
  std::string request;
  std::unique_ptr<Tokenizer> tokenizer;
  try {
    tokenizer = open();
  } catch (const Error& error) {
    if (!read_frame(in, request)) throw;
    write_frame(out, failure(error.exit_code(), error.what()).bytes());
    return static_cast<int>(error.exit_code());
  }
  while (read_frame(in, request)) write_frame(out, answer_or_failure(*tokenizer, request).bytes());
  return 0;
}

void live_as_long_as_parent() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_IGN);
  std::signal(SIGPIPE, SIG_DFL);  // an answer that nobody waits for ends it quietly
  parent = ::getppid();
  std::signal(SIGUSR1, end_if_orphan);
  ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
}

}  // namespace plumb
