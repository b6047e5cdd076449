#include "plumb/sweep/prepare_data.h"

#include <utility>

#include "plumb/config/dump.h"
#include "plumb/text/front_process.h"

namespace plumb {
namespace {

// The config without what `plumb prepare` does not look at. Of the model it checks the positions.
std::string data_part(Config config) {
  config.optim = {};
  config.schedule = {};
  config.generate = {};
  config.probe = {};
  config.threads = 0;
  config.seed = 1;
  const std::string pretrained = config.train.pretrained;
  config.train = {};
  config.train.pretrained = pretrained;
  const int positions = config.model.max_positions;
  config.model = {};
  config.model.max_positions = positions;
  return to_toml(config);
}

}  // namespace

SweepData::SweepData(const Sweep& sweep, std::vector<Arm> arms, std::filesystem::path plumb)
    : sweep_(sweep), arms_(std::move(arms)), plumb_(std::move(plumb)) {
  for (const Arm& arm : arms_) sections_.push_back(data_part(config_of(sweep, arm)));
}

const Prepared& SweepData::prepare(const Run& run) {
  const std::string key = sections_[run.arm] + std::to_string(run.seed);
  const auto known = prepared_.find(key);
  if (known != prepared_.end()) return known->second;
  std::vector<std::string> arguments = {"prepare", sweep_.config.string()};
  for (const Override& one : overrides_of(sweep_, arms_[run.arm], run.seed)) {
    arguments.insert(arguments.end(), {"--set", one});
  }
  return prepared_.emplace(key, prepared_from_json(run_front(arguments, plumb_))).first->second;
}

}  // namespace plumb
