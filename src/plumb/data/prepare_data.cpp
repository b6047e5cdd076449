#include "plumb/data/prepare_data.h"

#include "plumb/data/sized_by.h"
#include "plumb/process/front_process.h"

namespace plumb {

Prepared prepare_data(const std::string& file, const std::vector<std::string>& overrides, Config& config,
                      const Sources& sources, const std::string& run) {
  std::vector<std::string> arguments = {"prepare", file};
  for (const std::string& one : overrides) arguments.insert(arguments.end(), {"--set", one});
  if (!run.empty()) arguments.insert(arguments.end(), {"--vocabulary", run});
  Prepared data = prepared_from_json(run_front(arguments));
  config = sized_by(config, data, sources);
  return data;
}

}  // namespace plumb
