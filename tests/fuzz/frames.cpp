// Requests to `plumb text serve`, and the same bytes as an answer.

#include "plumb/text/frame.h"
#include "plumb/text/text_server.h"
#include "plumb/text/tokenizer.h"

#include "fuzz_input.h"

namespace {

// Every byte is a token.
class Bytes : public plumb::Tokenizer {
 public:
  std::vector<int32_t> encode(std::string_view line) const override { return {line.begin(), line.end()}; }
  std::string decode(std::span<const int32_t> ids) const override {
    for (const int32_t id : ids) plumb::check_id(id, size());
    return {ids.begin(), ids.end()};
  }
  int32_t size() const override { return 256; }
  std::vector<std::string> vocabulary() const override { return std::vector<std::string>(256, "x"); }
  std::string fingerprint() const override { return "bytes"; }
};

template <class Take>
void take_all(std::string_view bytes, const Take& take) {
  plumb::FrameReader reader(bytes);
  (void)reader.kind();
  for (uint32_t left = reader.u32(); left > 0; --left) take(reader);
  reader.end();
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  const std::string_view text = fuzz::as_text(data, size);
  const fuzz::MemoryFile in(text), out("");
  try {
    serve_text([] { return std::make_unique<Bytes>(); }, in.fd(), out.fd());
  } catch (const FrameError&) {  // it ends inside a frame
  }
  for (const bool ids : {true, false}) {
    try {
      take_all(text, [&](FrameReader& reader) { ids ? (void)reader.ids() : (void)reader.string(); });
    } catch (const FrameError&) {
    }
  }
  return 0;
}
