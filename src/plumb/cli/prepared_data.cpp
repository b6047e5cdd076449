#include "plumb/cli/prepared_data.h"

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/text/front_process.h"

namespace plumb {
namespace {

void take_vocabulary(int& size, const char* key, int64_t real, const Sources& sources) {
  if (sources.has(key) && size != real) {
    throw UserError(sources.where(key), fmt::format("says {}, but the vocabulary has {} tokens", size, real),
                    "Leave the key out; the vocabulary decides");
  }
  size = static_cast<int>(real);
}

std::vector<std::string> prepare_arguments(const std::string& file, const std::vector<std::string>& overrides) {
  std::vector<std::string> arguments = {"prepare", file};
  for (const std::string& one : overrides) arguments.insert(arguments.end(), {"--set", one});
  return arguments;
}

}  // namespace

Prepared prepare_data(const std::string& file, const std::vector<std::string>& overrides, Config& config,
                      const Sources& sources) {
  Prepared data = prepared_from_json(run_front(prepare_arguments(file, overrides)));
  take_vocabulary(config.model.source_vocab, "model.source_vocab", data.source_vocab, sources);
  take_vocabulary(config.model.target_vocab, "model.target_vocab", data.target_vocab, sources);
  return data;
}

}  // namespace plumb
