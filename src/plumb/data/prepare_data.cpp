#include "plumb/data/prepare_data.h"

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/presets.h"
#include "plumb/process/front_process.h"

namespace plumb {
namespace {

void take_size(int& size, const char* key, int64_t real, const Sources& sources) {
  if (sources.has(key) && size != real) {
    throw UserError(sources.where(key), fmt::format("says {}, but the data has {}", size, real),
                    "Leave the key out; the data decides");
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
                      const Sources& sources, const std::string& run) {
  std::vector<std::string> arguments = prepare_arguments(file, overrides);
  if (!run.empty()) arguments.insert(arguments.end(), {"--vocabulary", run});
  Prepared data = prepared_from_json(run_front(arguments));
  const TaskRow& row = task_row(task_of(config));
  if (row.head == HeadKind::Classes) {
    take_size(config.model.classes, "model.classes", data.target_vocab - kSpecials, sources);
  } else {
    take_size(config.model.target_vocab, "model.target_vocab", data.target_vocab, sources);
  }
  if (config.speech.source_rate == 0) config.speech.source_rate = data.source_rate;
  if (row.input == InputKind::Tokens) {
    take_size(config.model.source_vocab, "model.source_vocab", data.source_vocab, sources);
  }
  const std::vector<int>& cutoffs = config.model.adaptive_cutoffs;
  if (!cutoffs.empty() && cutoffs.back() >= config.model.target_vocab) {
    throw UserError(
        sources.where("model.adaptive_cutoffs"),
        fmt::format("the last band begins at {}, but there are {} words", cutoffs.back(), config.model.target_vocab),
        "Write smaller ids, or make data.vocab_size larger");
  }
  return data;
}

}  // namespace plumb
