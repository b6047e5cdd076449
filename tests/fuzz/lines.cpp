// Lines of any encoding, plain or gzip, in both ways to treat bad bytes; and the same bytes as a table.

#include "plumb/data/table.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/utf8.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  const fuzz::MemoryFile file(fuzz::as_text(data, size));
  for (const BadBytes bad : {BadBytes::Refuse, BadBytes::Replace}) {
    fuzz::refusals_are_fine([&] {
      LineReader reader(file.path(), {.bad_bytes = bad, .longest = 1000, .long_lines = LongLines::Cut});
      uint64_t lines = 0;
      for (std::string line; reader.next(line); ++lines) {
        const bool text = find_invalid_utf8(line) == std::string::npos && line.find('\0') == std::string::npos;
        if (!text || line.find('\n') != std::string::npos || line.size() > 3000) __builtin_trap();
      }
      if (lines != reader.findings().lines || lines != count_lines(file.path())) __builtin_trap();
    });
  }
  return fuzz::refusals_are_fine([&] {
    (void)read_table(file.path(), {.columns = {2, 1}, .split_column = 3, .split = "t"});
  });
}
