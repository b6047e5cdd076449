#include "plumb/runs/checkpoint_state.h"

#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/base/sha256.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/runs/checkpoint_list.h"

namespace plumb {
namespace {

using nlohmann::json;

constexpr int64_t kVersion = 1;
constexpr uint64_t kLongest = uint64_t{16} << 20;
constexpr int kDeepest = 8;  // of any value that is written: who nests deeper has another file, or another aim
constexpr char kChecksum[] = "checksum", kXxh64[] = "xxh64";

std::string canonical(const json& state) {
  return state.dump(1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

// Over what it says, not how it is spaced: a file that went through an editor unchanged is still whole.
std::string checksum_of(json state) {
  state.erase(kChecksum);
  return sha256_hex(canonical(state));
}

[[noreturn]] void throw_damaged_state(const std::string& where, const std::string& problem) {
  throw DamagedFile(where, problem, "Use an earlier checkpoint");
}

/// The members of an object, by name, type and range.
class Members {
 public:
  Members(const json& object, std::string prefix, const std::string& where)
      : object_(object), prefix_(std::move(prefix)), where_(where) {}

  bool has(const char* key) const { return object_.contains(key); }
  Members object(const char* key) const {
    return {checked(key, [](const json& value) { return value.is_object(); }), prefix_ + key + ".", where_};
  }
  const json& json_object(const char* key) const { return object(key).object_; }
  std::string text(const char* key) const {
    return checked(key, [](const json& value) { return value.is_string(); });
  }
  int64_t integer(const char* key, int64_t least, int64_t most = std::numeric_limits<int64_t>::max()) const {
    const json& value = checked(key, [&](const json& one) {
      if (one.is_number_unsigned() && one.get<uint64_t>() > static_cast<uint64_t>(most)) return false;
      return one.is_number_integer() && one.get<int64_t>() >= least && one.get<int64_t>() <= most;
    });
    return value.get<int64_t>();
  }
  std::map<std::string, std::string> texts() const {
    std::map<std::string, std::string> all;
    for (const auto& [key, value] : object_.items()) all[key] = text(key.c_str());
    return all;
  }

 private:
  template <class Fits>
  const json& checked(const char* key, const Fits& fits) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw_damaged_state(where_, "is missing or not whole");
    if (!fits(*found)) {
      throw_damaged_state(where_, fmt::format("{}{} cannot be {}", prefix_, key, canonical(*found).substr(0, 40)));
    }
    return *found;
  }

  const json& object_;
  std::string prefix_;
  const std::string& where_;
};

json parsed(const std::string& text, const std::string& where) {
  bool too_deep = false;
  const auto shallow = [&](int depth, json::parse_event_t, const json&) {
    too_deep = too_deep || depth > kDeepest;
    return depth <= kDeepest;
  };
  json state = json::parse(text, shallow, /*allow_exceptions=*/false);
  if (too_deep || !state.is_object()) throw_damaged_state(where, "is missing or not whole");
  return state;
}

// A newer version's state is whole, and to pass it over for an older one would lose work: that is the user's to decide.
void check_version(const Members& top, bool has_checksum, const std::string& where) {
  const int64_t version = top.integer("version", 1);
  if (version <= kVersion) return;
  const std::string problem = fmt::format("has format version {}; this program reads version {}", version, kVersion);
  if (!has_checksum) throw_damaged_state(where, problem);
  throw UserError(where, problem, "Use the version of plumb that wrote it");
}

CheckpointState::Position position_of(const Members& top) {
  const Members from = top.object("position");
  CheckpointState::Position position;
  position.update = from.integer("update", 0);
  position.epoch = from.integer("epoch", 0);
  position.batch = from.integer("batch", 0);
  position.tokens = from.integer("tokens", 0);
  position.bad_validations = from.integer("bad_validations", 0);
  position.best_update = from.integer("best_update", -1, position.update);
  return position;
}

// An older version could take a validation that was not finite, null in JSON, for the best one: then there is none.
void read_best_loss(const json& position, CheckpointState::Position& into, const std::string& where) {
  const auto found = position.find("best_loss");
  if (found == position.end() || !(found->is_null() || found->is_number())) {
    throw_damaged_state(where, "position.best_loss is not a number");
  }
  if (found->is_null()) {
    into.best_update = -1;
  } else {
    into.best_loss = found->get<double>();
  }
}

std::map<std::string, FileSums> files_of(const Members& top) {
  std::map<std::string, FileSums> files;
  for (const auto& [name, sum] : top.object("files").texts()) files[name].sha256 = sum;
  if (!top.has(kXxh64)) return files;
  for (const auto& [name, sum] : top.object(kXxh64).texts()) files[name].xxh64 = sum;
  return files;
}

// Its own fields are its own business (train/guard.h), but all of them are numbers, or null for what it has not met.
void check_guard(const json& guard, const std::string& where) {
  for (const auto& [key, value] : guard.items()) {
    if (value.is_primitive() && !value.is_string()) continue;
    if (!value.is_array()) throw_damaged_state(where, fmt::format("guard.{} is not a number", key));
  }
}

void check_contents(const json& contents, const std::string& where) {
  for (const auto& [key, value] : contents.items()) {
    const bool whole = value.is_object() && value.contains("sha256") && value["sha256"].is_string() &&
                       value.contains("count") && value["count"].is_number_integer();
    if (!whole) throw_damaged_state(where, fmt::format("contents.{} is not whole", key));
  }
}

}  // namespace

std::string to_text(const CheckpointState& state) {
  const CheckpointState::Position& at = state.position;
  json all = {{"version", kVersion},
              {"update", at.update},
              {"optimiser_steps", state.optimiser_steps},
              {"position",
               {{"update", at.update},
                {"epoch", at.epoch},
                {"batch", at.batch},
                {"tokens", at.tokens},
                {"best_loss", at.best_loss},
                {"best_update", at.best_update},
                {"bad_validations", at.bad_validations}}},
              {"guard", state.guard},
              {"config", state.config},
              {"threads", state.threads},
              {"data", state.data},
              {"contents", state.contents},
              {"prepared", state.prepared},
              {"files", json::object()},
              {kXxh64, json::object()}};
  for (const auto& [name, sums] : state.files) {
    all["files"][name] = sums.sha256;
    all[kXxh64][name] = sums.xxh64;
  }
  all[kChecksum] = checksum_of(all);
  return canonical(all) + '\n';
}

CheckpointState checkpoint_state_of(const std::string& text, const std::string& where) {
  const json all = parsed(text, where);
  const Members top(all, "", where);
  CheckpointState state;
  state.has_checksum = top.has(kChecksum);
  if (state.has_checksum && top.text(kChecksum) != checksum_of(all)) {
    throw_damaged_state(where, "does not match its checksum");
  }
  check_version(top, state.has_checksum, where);
  state.position = position_of(top);
  read_best_loss(all["position"], state.position, where);
  top.integer("update", state.position.update, state.position.update);
  state.optimiser_steps = top.integer("optimiser_steps", 0, state.position.update);
  state.files = files_of(top);
  state.guard = top.json_object("guard");
  check_guard(state.guard, where);
  state.config = top.text("config");
  state.threads = top.integer("threads", 1, std::numeric_limits<int>::max());
  state.data = top.text("data");
  if (top.has("contents")) state.contents = top.json_object("contents");
  check_contents(state.contents, where);
  if (top.has("prepared")) state.prepared = top.text("prepared");
  return state;
}

CheckpointState read_checkpoint_state(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kStateFile;
  CheckpointState state = checkpoint_state_of(bounded_content(path, kLongest).value_or(""), path.string());
  const std::optional<int64_t> named = update_named(folder.filename().string());
  if (named && *named != state.position.update) {
    throw_damaged_state(path.string(), fmt::format("is that of update {}", state.position.update));
  }
  return state;
}

}  // namespace plumb
