#include "plumb/sweep/prepare_data.h"

#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/config/dump.h"
#include "plumb/process/front_process.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

constexpr char kDataFile[] = "data.json";

// The config without what `plumb prepare` does not look at. Of the model it checks the positions, and where nobody
// names a task the form says which it is.
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
  const ModelConfig model = std::exchange(config.model, {});
  config.model.max_positions = model.max_positions;
  config.model.form = model.form;
  return to_toml(config);
}

std::map<std::string, std::string> read_fingerprints(const fs::path& file) {
  std::ifstream in(file);
  const nlohmann::json stored = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  std::map<std::string, std::string> fingerprints;
  if (!stored.is_object()) return fingerprints;  // a sweep of before there were any
  for (const auto& [key, value] : stored.items()) {
    if (value.is_string()) fingerprints[key] = value;
  }
  return fingerprints;
}

}  // namespace

SweepData::SweepData(const Sweep& sweep, std::vector<Arm> arms, fs::path plumb, fs::path out)
    : sweep_(sweep),
      arms_(std::move(arms)),
      plumb_(std::move(plumb)),
      out_(std::move(out)),
      fingerprints_(read_fingerprints(out_ / kDataFile)) {
  for (const Arm& arm : arms_) {
    const Config config = config_of(sweep, arm);
    origins_.push_back({data_part(config), config.data.corpus != Corpus::Text});
  }
}

std::string SweepData::origin_of(const Run& run) const {
  const Origin& origin = origins_[run.arm];
  return origin.built_in ? origin.settings + std::to_string(run.seed) : origin.settings;
}

const Prepared& SweepData::prepare(const Run& run) {
  const std::string origin = origin_of(run);
  const auto known = prepared_.find(origin);
  if (known != prepared_.end()) return known->second;
  std::vector<std::string> arguments = {"prepare", sweep_.config.string()};
  for (const Override& one : overrides_of(sweep_, arms_[run.arm], run.seed)) {
    arguments.insert(arguments.end(), {"--set", one});
  }
  const Prepared prepared = prepared_from_json(run_front(arguments, plumb_));
  compare(run, origin, prepared);
  return prepared_.emplace(origin, prepared).first->second;
}

void SweepData::compare(const Run& run, const std::string& origin, const Prepared& prepared) {
  const auto [stored, fresh] = fingerprints_.try_emplace(sha256_hex(origin), prepared.fingerprint);
  if (fresh || stored->second == prepared.fingerprint) return;
  throw UserError(out_.string(),
                  fmt::format("the data of arm {} has changed since the first runs", arms_[run.arm].name),
                  "Bring it back as it was, or choose another --out");
}

void SweepData::write() const {
  write_whole(out_ / kDataFile, nlohmann::json(fingerprints_).dump(1) + "\n");
}

}  // namespace plumb::sweep
