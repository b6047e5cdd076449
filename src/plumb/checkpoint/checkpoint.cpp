#include "plumb/checkpoint/checkpoint.h"

#include <cerrno>
#include <cstdio>

#include <ATen/ATen.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/safetensors.h"
#include "plumb/checkpoint/file_sums.h"
#include "plumb/checkpoint/load_model.h"
#include "plumb/runs/checkpoint_list.h"
#include "plumb/store/weights_file.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".unfinished-", kRemoved = ".removed-";
constexpr char kSpace[] = "Free some space or choose another --out";

void sync_folder(const fs::path& folder) {
  const int error_number = sync_directory(folder);
  if (error_number == 0) return;
  throw DiskError(folder.string(), "cannot be synced to the disk: " + reason_of(error_number),
                  "Check the disk; older checkpoints are kept");
}

void save_optimiser(const Optimiser& optimiser, const fs::path& path) {
  std::vector<TensorSource> sources;
  std::vector<at::Tensor> kept;  // until they are written
  for (const Optimiser::State& state : optimiser.state()) {
    const DType type = state.values.scalar_type() == at::kDouble ? DType::F64 : DType::F32;
    kept.push_back(state.values.cpu());
    sources.push_back({state.name, type, {state.values.numel()}, cpu_bytes(kept.back())});
  }
  write_safetensors(path, sources);
}

std::vector<Optimiser::State> read_optimiser(const fs::path& path) {
  const SafetensorsReader file(path);
  std::vector<Optimiser::State> states;
  for (const TensorEntry& entry : file.tensors()) {
    const Where where(entry.dtype == DType::F64 ? at::kDouble : at::kFloat);
    at::Tensor values = at::empty(entry.shape, where.options());
    file.read(entry, cpu_bytes(values));
    states.push_back({entry.name, values});
  }
  return states;
}

// One that has the name already ends up under `from`. At no moment the name is free: who reads or is killed meanwhile
// finds the old one or the new one.
int put_in_place(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return 0;
  if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) return errno;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot exchange names.
  fs::path aside = from;
  aside += "-replaced";
  if (::rename(to.c_str(), aside.c_str()) != 0) return errno;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Checkpoints::Checkpoints(fs::path run) : root_(std::move(run) / kCheckpointsFolder) {}

fs::path Checkpoints::folder(int64_t update) const {
  return root_ / std::to_string(update);
}

CheckpointState Checkpoints::state(int64_t update) const {
  return read_checkpoint_state(folder(update));
}

void Checkpoints::save(int64_t update, const ParameterStore& parameters, const Optimiser& optimiser,
                       CheckpointState state, const std::function<void()>& tensors_written) const {
  const fs::path unfinished = root_ / fmt::format("{}{}-{}", kUnfinished, update, getpid());
  remove_leftovers();  // they may have the space that this one needs
  make_folder(root_, kSpace);
  std::error_code error;
  if (!fs::create_directory(unfinished, error)) {
    throw DiskError(unfinished.string(), "cannot be created (" + error.message() + ")", kSpace);
  }
  save_weights(parameters, unfinished / kModelFile);
  save_optimiser(optimiser, unfinished / kOptimizerFile);
  state.position.update = update;
  state.optimiser_steps = optimiser.steps();
  if (tensors_written) tensors_written();
  for (const char* name : {kModelFile, kOptimizerFile}) state.files[name] = sums_of_file(unfinished / name);
  write_whole(unfinished / kStateFile, to_text(state));
  sync_folder(unfinished);
  if (const int error_number = put_in_place(unfinished, folder(update)); error_number != 0) {
    throw DiskError(folder(update).string(), "cannot be renamed into place: " + reason_of(error_number),
                    "See that the folder can be written to");
  }
  sync_folder(root_);
  fs::remove_all(unfinished, error);  // an earlier one of the same update, from a run that was wound back
}

std::vector<int64_t> Checkpoints::updates() const {
  return checkpoint_updates(root_.parent_path());
}

int64_t Checkpoints::chosen(const std::string& which) const {
  return chosen_checkpoint(root_.parent_path(), which);
}

void Checkpoints::check(int64_t update) const {
  const CheckpointState state = this->state(update);
  for (const char* name : {kModelFile, kOptimizerFile}) check_file(folder(update) / name, state);
}

CheckpointState Checkpoints::load(int64_t update, ParameterStore& parameters, Optimiser& optimiser) const {
  const fs::path from = folder(update);
  CheckpointState state = this->state(update);
  for (const char* name : {kModelFile, kOptimizerFile}) check_file(from / name, state);
  check_weights(parameters, from / kModelFile);
  optimiser.load_state(state.optimiser_steps, read_optimiser(from / kOptimizerFile));
  load_weights(parameters, from / kModelFile);
  check_finite(parameters, from / kModelFile);
  return state;
}

void Checkpoints::remove(int64_t update) const {
  const fs::path removed = root_ / fmt::format("{}{}-{}", kRemoved, update, getpid());
  std::error_code error;
  fs::remove_all(removed, error);
  fs::rename(folder(update), removed, error);
  if (!error) fs::remove_all(removed, error);
}

void Checkpoints::remove_leftovers() const {
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(root_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kUnfinished) || name.starts_with(kRemoved)) leftovers.push_back(entry.path());
  }
  for (const fs::path& one : leftovers) fs::remove_all(one, ignored);
}

fs::path Checkpoints::set_aside() const {
  if (updates().empty()) return {};
  std::error_code error;
  fs::path aside;
  int number = 0;
  do {
    aside = fs::path(root_) += fmt::format("-{}", ++number);
  } while (fs::exists(fs::symlink_status(aside, error)));
  fs::rename(root_, aside, error);
  if (error) {
    throw DiskError(root_.string(), "cannot be renamed: " + error.message(), "See that the folder can be written to");
  }
  sync_folder(root_.parent_path());
  return aside;
}

}  // namespace plumb
