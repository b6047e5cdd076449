// A token file. The first byte chooses: the bytes as they are, or behind a header whose checksum is right, because no
// mutation would find that by itself.

#include <cstring>

#include "plumb/base/sha256.h"
#include "plumb/data/token_file.h"

#include "fuzz_input.h"

namespace {

std::string with_header(std::string_view rest) {
  std::string bytes = "PLUMBTK1";
  bytes += rest.substr(0, 16);  // sentences, tokens
  rest.remove_prefix(16);
  return bytes + std::string(64, 'f') + plumb::sha256_hex(rest) + std::string(rest);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  if (size == 0) return 0;
  const std::string_view rest = fuzz::as_text(data, size).substr(1);
  const bool right = data[0] % 2 == 1 && rest.size() >= 16;
  return fuzz::refusals_are_fine([&] {
    const fuzz::MemoryFile file(right ? with_header(rest) : std::string(rest));
    const TokenFile tokens(file.path());
    int64_t sum = 0;
    for (int64_t i = 0; i < tokens.sentences(); ++i) {
      for (const int32_t id : tokens[i]) sum += id;
    }
    if (sum == INT64_MIN) __builtin_trap();  // so that it is computed
  });
}
