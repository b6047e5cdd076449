#include "plumb/data/sized_by.h"

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/presets.h"

namespace plumb {
namespace {

void take_size(int& size, const char* key, int64_t real, const Sources& sources) {
  if (sources.has(key) && size != real) {
    throw UserError(sources.where(key), fmt::format("says {}, but the data has {}", size, real),
                    "Leave the key out; the data decides");
  }
  size = static_cast<int>(real);
}

}  // namespace

Config sized_by(Config config, const Prepared& data, const Sources& sources) {
  ModelConfig& model = config.model;
  const TaskRow& row = task_row(task_of(config));
  if (row.head == HeadKind::Classes) {
    take_size(model.classes, "model.classes", data.target_vocab - kSpecials, sources);
  } else {
    take_size(model.target_vocab, "model.target_vocab", data.target_vocab, sources);
  }
  if (config.speech.source_rate == 0) config.speech.source_rate = data.source_rate;
  if (row.input == InputKind::Tokens) {
    take_size(model.source_vocab, "model.source_vocab", data.source_vocab, sources);
  }
  const std::vector<int>& cutoffs = model.adaptive_cutoffs;
  if (!cutoffs.empty() && cutoffs.back() >= model.target_vocab) {
    throw UserError(
        sources.where("model.adaptive_cutoffs"),
        fmt::format("the last band begins at {}, but there are {} words", cutoffs.back(), model.target_vocab),
        "Write smaller ids, or make data.vocab_size larger");
  }
  return config;
}

Config sized_as(Config config, const Config& run) {
  config.model.source_vocab = run.model.source_vocab;
  config.model.target_vocab = run.model.target_vocab;
  config.model.classes = run.model.classes;
  config.speech.source_rate = run.speech.source_rate;
  return config;
}

Config sized_before_data(Config config, const Sources& sources) {
  if (!sources.has("data.vocab_size")) return config;
  if (!sources.has("model.source_vocab")) config.model.source_vocab = config.data.vocab_size;
  if (!sources.has("model.target_vocab")) config.model.target_vocab = config.data.vocab_size;
  return config;
}

}  // namespace plumb
