#include "plumb/text/text_client.h"

#include <array>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/text/frame.h"

namespace plumb {
namespace {

// Enough to make the cost of a call vanish, little enough to stay in the cache and to keep frames far from 4 GB.
constexpr size_t kRequestBytes = 256 * 1024;
constexpr size_t kLongestLine = size_t{256} << 20;

[[noreturn]] void misunderstood(const std::string& problem) {
  throw Error(Exit::OurMistake, "plumb text serve", fmt::format("its answer is not understood: {}", problem),
              "Are plumb and plumb-engine of the same version?");
}

// Throws what the server could not do; otherwise a reader that stands behind the kind.
FrameReader open_answer(std::string_view answer, FrameKind expected) {
  FrameReader reader(answer);
  const FrameKind kind = reader.kind();
  if (kind == FrameKind::Failure) {
    const auto exit = static_cast<Exit>(reader.u8());
    throw Error(exit, std::string(reader.string()));
  }
  if (kind != expected) throw FrameError("it answers another question");
  return reader;
}

size_t bytes_of(const std::string& line) {
  return line.size();
}
size_t bytes_of(const std::vector<int32_t>& ids) {
  return ids.size() * sizeof(int32_t);
}

void put(FrameWriter& frame, const std::string& line) {
  frame.put_string(line);
}
void put(FrameWriter& frame, const std::vector<int32_t>& ids) {
  frame.put_ids(ids);
}

// The next lines that go into one request: as many as fit, but at least one.
template <class Line>
std::span<const Line> next_portion(std::span<const Line> lines) {
  size_t count = 0, bytes = 0;
  do {
    const size_t size = bytes_of(lines[count]);
    if (size > kLongestLine) {
      throw UserError("tokeniser", fmt::format("a line of {} bytes is too long", size), "Break it into shorter lines");
    }
    bytes += size + sizeof(uint32_t);
    ++count;
  } while (count < lines.size() && bytes + bytes_of(lines[count]) <= kRequestBytes);
  return lines.first(count);
}

// Sends `lines` portion by portion; `take` takes one result out of an answer.
template <class Result, class Line, class Ask, class Take>
std::vector<Result> in_portions(FrameKind kind, std::span<const Line> lines, const Ask& ask, const Take& take) {
  std::vector<Result> results;
  results.reserve(lines.size());
  while (!lines.empty()) {
    const std::span<const Line> portion = next_portion(lines);
    FrameWriter request(kind);
    request.put_u32(static_cast<uint32_t>(portion.size()));
    for (const Line& line : portion) put(request, line);
    const std::string answer = ask(request.bytes());
    try {
      FrameReader reader = open_answer(answer, kind);
      if (reader.u32() != portion.size()) throw FrameError("it answers for another number of lines");
      for (size_t i = 0; i < portion.size(); ++i) results.push_back(take(reader));
      reader.end();
    } catch (const FrameError& error) {
      misunderstood(error.what());
    }
    lines = lines.subspan(portion.size());
  }
  return results;
}

}  // namespace

PipedTokenizer::PipedTokenizer(const std::string& model, const std::filesystem::path& plumb)
    : model_(model), process_({"text", "serve", "--model", model}, plumb) {
  const std::string answer = ask(FrameWriter(FrameKind::Info).bytes());
  try {
    FrameReader reader = open_answer(answer, FrameKind::Info);
    size_ = static_cast<int32_t>(reader.u32());
    fingerprint_ = reader.string();
    reader.end();
  } catch (const FrameError& error) {
    misunderstood(error.what());
  }
}

std::vector<int32_t> PipedTokenizer::encode(std::string_view line) const {
  const std::array<std::string, 1> one{std::string(line)};
  return std::move(encode_lines(one).front());
}

std::string PipedTokenizer::decode(std::span<const int32_t> ids) const {
  const std::array<std::vector<int32_t>, 1> one{std::vector<int32_t>(ids.begin(), ids.end())};
  return std::move(decode_lines(one).front());
}

std::vector<std::vector<int32_t>> PipedTokenizer::encode_lines(std::span<const std::string> lines) const {
  return in_portions<std::vector<int32_t>>(
      FrameKind::Encode, lines, [this](std::string_view request) { return ask(request); },
      [](FrameReader& reader) { return reader.ids(); });
}

std::vector<std::string> PipedTokenizer::decode_lines(std::span<const std::vector<int32_t>> lines) const {
  return in_portions<std::string>(
      FrameKind::Decode, lines, [this](std::string_view request) { return ask(request); },
      [](FrameReader& reader) { return std::string(reader.string()); });
}

std::vector<std::string> PipedTokenizer::vocabulary() const {
  const std::string answer = ask(FrameWriter(FrameKind::Vocabulary).bytes());
  try {
    FrameReader reader = open_answer(answer, FrameKind::Vocabulary);
    std::vector<std::string> tokens(reader.u32());
    for (std::string& token : tokens) token = reader.string();
    reader.end();
    return tokens;
  } catch (const FrameError& error) {
    misunderstood(error.what());
  }
}

std::string PipedTokenizer::ask(std::string_view request) const {
  const std::lock_guard lock(mutex_);
  std::string answer, problem = "connection closed";
  try {
    write_frame(process_.connection().get(), request);
    if (read_frame(process_.connection().get(), answer)) return answer;
  } catch (const std::system_error& error) {
    problem = error.what();
  } catch (const FrameError& error) {
    problem = error.what();
  }
  const std::string how = process_.end();
  if (process_.status() && process_.status()->crashed()) {
    throw DamagedFile(model_, fmt::format("SentencePiece crashed on it (signal {})", *process_.status()->signal()),
                      "Copy it again, or train it with plumb text train");
  }
  throw Error(Exit::OurMistake, "plumb text serve", fmt::format("{} ({})", problem, how),
              "If the machine is short of memory, use shorter lines; then start again");
}

}  // namespace plumb
