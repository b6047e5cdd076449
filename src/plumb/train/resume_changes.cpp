#include "plumb/train/resume_changes.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/config/difference.h"
#include "plumb/config/dump.h"
#include "plumb/config/from_toml.h"

namespace plumb {
namespace {

constexpr size_t kNamed = 3;

std::string list(const std::vector<std::string>& changes, size_t most) {
  const auto named = changes.begin() + static_cast<std::ptrdiff_t>(std::min(most, changes.size()));
  std::string text = fmt::format("{}", fmt::join(changes.begin(), named, "; "));
  if (named != changes.end()) text += fmt::format("; and {} more", changes.end() - named);
  return text;
}

// A longer run is the one change that looks harmless and is not always.
std::string reason(const std::string& key, const Config& before) {
  if (key != "train.max_update") return "";
  return fmt::format(", where {} ends: schedule.total_updates = {} would keep its course", before.schedule.name,
                     before.train.max_update);
}

}  // namespace

void RunIdentity::add_to(CheckpointState& state) const {
  state.config = to_toml(config);
  state.threads = threads;
  state.data = fingerprint;
  state.contents = pieces_to_json(pieces);
}

std::vector<std::string> ResumeChanges::all() const {
  std::vector<std::string> joined = config;
  std::ranges::copy(data, std::back_inserter(joined));
  std::ranges::copy(harmless, std::back_inserter(joined));
  return joined;
}

std::string ResumeChanges::problem() const {
  const std::string other_config = fmt::format("with another config ({})", list(config, kNamed));
  const std::string other_data = fmt::format("on other data ({})", list(data, data.size()));
  if (data.empty()) return "was trained " + other_config;
  if (config.empty()) return "was trained " + other_data;
  return fmt::format("was trained {} and {}", other_config, other_data);
}

ResumeChanges changes_since(const CheckpointState& state, const RunIdentity& now, const std::string& where) {
  ResumeChanges changes;
  const bool same_data = state.data == now.fingerprint;
  if (!same_data) {
    changes.data = data_differences(state.contents, now.pieces);
    if (changes.data.empty()) changes.data = {"its text or its vocabulary"};
  }
  Config before = from_toml(state.config, where), after = now.config;
  // Not the key: what it came to.
  before.threads = static_cast<int>(state.threads);
  after.threads = now.threads;
  if (!same_data) {  // the vocabularies decide these two, and are named themselves
    before.model.source_vocab = after.model.source_vocab;
    before.model.target_vocab = after.model.target_vocab;
  }
  for (const Difference& one : differences(before, after)) {
    const bool free = may_change_on_resume(one.key, before, after, same_data);
    (free ? changes.harmless : changes.config).push_back(one.in_words() + (free ? "" : reason(one.key, before)));
  }
  return changes;
}

// Before the weights are read: with another vocabulary or width their shapes would be blamed, not the key.
ResumeChanges accepted_changes(const Checkpoints& checkpoints, int64_t update, const RunIdentity& now,
                               bool allow_changes) {
  const std::filesystem::path folder = checkpoints.folder(update), file = folder / kStateFile;
  const CheckpointState state = checkpoints.state(update);
  ResumeChanges changes;
  try {
    changes = changes_since(state, now, file.string());
  } catch (const UserError&) {  // a key that this version does not know
    if (!allow_changes && state.has_checksum) throw;
    if (!allow_changes) {  // it may as well be a key that the disk has made up
      throw DamagedFile(file.string(), "its config has a key or value that this version does not know",
                        "Use an earlier checkpoint, or add --allow-changes");
    }
  }
  if (changes.matter() && !allow_changes) {
    throw UserError(folder.string(), changes.problem(), "Resume with what it was started with, or add --allow-changes");
  }
  return changes;
}

}  // namespace plumb
