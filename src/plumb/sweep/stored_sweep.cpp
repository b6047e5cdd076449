#include "plumb/sweep/stored_sweep.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/base/make_folder.h"
#include "plumb/config/difference.h"
#include "plumb/config/dump.h"
#include "plumb/config/from_toml.h"
#include "plumb/config/toml_reader.h"
#include "plumb/sweep/read_sweep.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

constexpr char kSweepFile[] = "sweep.toml", kArmFile[] = "arm.toml";
constexpr char kRemedy[] = "Choose another --out, or go on with what it was started with";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Who is killed while it writes leaves a temporary (base/atomic_file.cpp); the directory is locked, so nobody writes
// now.
void remove_temporaries(const fs::path& out) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(out, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".plumb-") && name.ends_with(".tmp")) left.push_back(entry.path());
  }
  for (const fs::path& path : left) fs::remove(path, ignored);
}

void check_stored_sweep(const Sweep& sweep, const std::vector<Arm>& arms, const fs::path& out) {
  const fs::path file = out / kSweepFile;
  const Sweep stored = sweep_of(read_toml_leaves(file), file);
  for (const int64_t seed : stored.seeds) {
    if (std::ranges::find(sweep.seeds, seed) != sweep.seeds.end()) continue;
    throw UserError(out.string(), fmt::format("holds a sweep that has another seed ({})", seed), kRemedy);
  }
  for (const Arm& arm : arms_of(stored)) {
    if (std::ranges::find(arms, arm.name, &Arm::name) != arms.end()) continue;
    throw UserError(out.string(), fmt::format("holds a sweep that has another arm ({})", arm.name), kRemedy);
  }
}

void check_stored_arm(const Arm& arm, const Config& config, const fs::path& out) {
  const fs::path file = out / arm.folder / kArmFile;
  if (!is_there(file)) return;
  const std::vector<Difference> changes = differences(from_toml(file_content(file), file.string()), config);
  if (changes.empty()) return;
  const std::string more = changes.size() > 1 ? fmt::format(" and {} more", changes.size() - 1) : "";
  throw UserError(out.string(),
                  fmt::format("arm {} was another one ({}{})", arm.name, changes.front().in_words(), more), kRemedy);
}

}  // namespace

Config comparable(Config config) {
  config.seed = 1;
  if (config.ops == Path::Fused) config.threads = 0;  // its bits do not depend on them
  config.data.cache = Config{}.data.cache;
  return config;
}

StoredSweep::StoredSweep(const Sweep& sweep, fs::path out)
    : sweep_(sweep), out_(std::move(out)), arms_(arms_of(sweep)) {
  std::error_code ignored;
  remove_temporaries(out_);
  const bool stored = is_there(out_ / kSweepFile);
  if (!stored && is_there(out_) && !fs::is_empty(out_, ignored)) {
    throw UserError(out_.string(), "is there already, and is no sweep", "Choose another --out");
  }
  for (const Arm& arm : arms_) configs_.push_back(comparable(config_of(sweep, arm)));
  if (stored) check_stored_sweep(sweep, arms_, out_);
  for (size_t i = 0; i < arms_.size(); ++i) check_stored_arm(arms_[i], configs_[i], out_);
}

void StoredSweep::write() const {
  make_folder(out_);
  write_whole(out_ / kSweepFile,
              "# What this folder holds; `plumb sweep` with this file goes on with it.\n" + to_toml(sweep_));
  for (size_t i = 0; i < arms_.size(); ++i) {
    const fs::path folder = out_ / arms_[i].folder;
    make_folder(folder);
    if (!is_there(folder / kArmFile)) write_whole(folder / kArmFile, to_toml(configs_[i]));
  }
}

}  // namespace plumb::sweep
