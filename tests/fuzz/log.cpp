// A run's log.jsonl, whole and line by line.

#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/runs/record_json.h"
#include "plumb/runs/run_log.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  const std::string_view text = fuzz::as_text(data, size);
  const std::filesystem::path run = fuzz::written("log.jsonl", text).parent_path();
  (void)read_run_log(run, LogReading::Tolerant);  // never throws for what is in the file
  fuzz::refusals_are_fine([&] { (void)read_run_log(run, LogReading::Strict); });
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    (void)is_beginning_of_record(line);
    const nlohmann::json value = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) continue;
    // What was read is written so that it is read again.
    if (const std::optional<LogRecord> record = record_of(value)) {
      if (!record_of(nlohmann::json::parse(to_json_line(to_json(*record))))) __builtin_trap();
    }
  }
  return 0;
}
