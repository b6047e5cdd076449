#include "plumb/checkpoint/run_weights.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/checkpoint/load_model.h"
#include "plumb/config/difference.h"
#include "plumb/config/from_toml.h"
#include "plumb/data/data_pieces.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 20;  // each needs a checkpoint that was removed in between
constexpr size_t kNamedKeys = 3;

std::vector<int64_t> chosen_updates_of(const Checkpoints& checkpoints, const WeightsChoice& choice) {
  const int64_t one = checkpoints.chosen(choice.which);
  if (choice.average <= 1) return {one};
  std::vector<int64_t> all = checkpoints.updates();
  std::ranges::reverse(all);
  all.resize(std::min(all.size(), static_cast<size_t>(choice.average)));
  return all.empty() ? std::vector{one} : all;
}

}  // namespace

void check_same_model(const CheckpointState& state, const Config& config, const std::string& where) {
  Sources known;  // what an older version did not have yet was not decided by anybody
  Config trained;
  try {
    trained = from_toml(state.config, where, &known);
  } catch (const UserError&) {  // a key that this version does not have: there is nothing to compare with
    return;
  }
  std::vector<std::string> changed;
  for (const Difference& one : differences(trained, config)) {
    if (!decides_outputs(one.key) || !known.has(one.key)) continue;
    changed.push_back(fmt::format("{} is {}, but checkpoint {} was trained with {}", one.key, one.after,
                                  state.position.update, one.before));
  }
  if (changed.empty()) return;
  const size_t more = changed.size() - std::min(changed.size(), kNamedKeys);
  changed.resize(changed.size() - more);
  throw UserError(where,
                  fmt::format("{}{}", fmt::join(changed, "; "), more > 0 ? fmt::format("; and {} more", more) : ""),
                  fmt::format("Restore the value in {}, or remove the --set", kConfigFile));
}

RunWeights::RunWeights(fs::path run, const Config& config, WeightsChoice choice)
    : run_(std::move(run)), config_(config), choice_(std::move(choice)) {
  while_there([] {});
}

void RunWeights::while_there(const std::function<void()>& use) {
  for (int tries = 1;; ++tries) {
    try {
      if (updates_.empty()) choose();
      return use();
    } catch (const Error&) {
      if (tries == kTries || !lost_the_race()) throw;
      updates_.clear();
    }
  }
}

void RunWeights::choose() {
  const Checkpoints checkpoints(run_);
  updates_ = checkpoints.updates();
  if (updates_.size() > 1) updates_ = {updates_.back()};  // it knows which one is the best
  updates_ = chosen_updates_of(checkpoints, choice_);
  std::vector<CheckpointState> states;
  for (const int64_t update : updates_) states.push_back(checkpoints.state(update));
  for (const CheckpointState& state : states) check_same_model(state, config_, run_.string());
  newest_ = std::move(states.front());
}

void RunWeights::check_vocabulary(const RunVocabulary& vocabulary) const {
  const std::vector<std::string> changed = vocabulary_differences(newest_.contents, vocabulary);
  if (changed.empty()) return;
  throw DamagedFile(
      (run_ / kVocabularyFolder).string(),
      fmt::format("{} changed since checkpoint {} was trained", fmt::join(changed, " and "), newest_.position.update),
      "Restore the files of the run");
}

void RunWeights::load(ParameterStore& parameters) {
  while_there([&] { load_average(parameters, files()); });
}

std::vector<fs::path> RunWeights::files() const {
  std::vector<fs::path> all;
  for (const int64_t update : updates_) all.push_back(Checkpoints(run_).model_file(update));
  return all;
}

// One that was asked for by its number stays the wish, also when it is gone: then the second choice says so.
bool RunWeights::lost_the_race() const {
  const std::vector<int64_t> there = Checkpoints(run_).updates();
  return std::ranges::any_of(updates_, [&](int64_t update) { return std::ranges::find(there, update) == there.end(); });
}

}  // namespace plumb
