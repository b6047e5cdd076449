// A config file, and the values of --set behind it: one line each, after the byte 0xFF.

#include <sstream>

#include "plumb/config/dump.h"
#include "plumb/config/load.h"
#include "plumb/config/toml_reader.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  const std::vector<std::string> parts = fuzz::in_parts(fuzz::as_text(data, size), 2);
  std::vector<std::string> overrides;
  std::istringstream lines(parts[1]);
  for (std::string line; std::getline(lines, line);) overrides.push_back(line);
  const std::filesystem::path file = fuzz::written("config.toml", parts[0]);
  fuzz::refusals_are_fine([&] { (void)read_toml_leaves(file); });
  if (parts[0].find("include") != std::string::npos) return 0;  // would read files of this machine
  return fuzz::refusals_are_fine([&] { (void)to_toml(load_config(file, overrides)); });
}
