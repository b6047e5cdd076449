// Every metric on a hypothesis and two references, which the byte 0xFF separates.

#include "plumb/catalogue/metrics.h"

#include <cmath>

#include "plumb/metric/measure.h"
#include "plumb/text/utf8.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  if (size > 2000) return 0;  // some take the square of it
  std::vector<std::string> parts = fuzz::in_parts(fuzz::as_text(data, size), 3);
  for (std::string& part : parts) part = replace_invalid_utf8(part);
  for (const MetricRow& row : metrics()) {
    fuzz::refusals_are_fine([&] {
      const Measure measure = make_measure(row.name, {.lowercase = size % 2 == 0, .stem = size % 3 == 0});
      std::vector<std::string> references = {parts[1]};
      if (row.several_references) references.push_back(parts[2]);
      const Score score = measure.score(measure.count(parts[0], references));
      if (std::isnan(score.value)) __builtin_trap();
    });
  }
  return 0;
}
