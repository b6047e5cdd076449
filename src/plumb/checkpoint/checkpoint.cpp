#include "plumb/checkpoint/checkpoint.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/safetensors.h"
#include "plumb/base/sha256.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/runs/checkpoint_list.h"
#include "plumb/store/weights_file.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".unfinished-";

void sync_folder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
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

void check_file(const fs::path& path, const nlohmann::json& state) {
  const std::string name = path.filename().string();
  std::error_code ignored;
  if (!fs::exists(path, ignored) || sha256_of_file(path) != state["files"].value(name, "")) {
    throw DamagedFile(path.string(), "is missing or does not have its checksum", "Resume from an earlier checkpoint");
  }
}

}  // namespace

Checkpoints::Checkpoints(fs::path run) : root_(std::move(run) / kCheckpointsFolder) {}

fs::path Checkpoints::folder(int64_t update) const {
  return root_ / std::to_string(update);
}

nlohmann::json Checkpoints::state(int64_t update) const {
  return checkpoint_state(root_.parent_path(), update);
}

void Checkpoints::save(int64_t update, const ParameterStore& parameters, const Optimiser& optimiser,
                       nlohmann::json state, const std::function<void()>& tensors_written) const {
  const fs::path unfinished = root_ / fmt::format("{}{}-{}", kUnfinished, update, getpid());
  std::error_code error;
  fs::create_directories(unfinished, error);
  if (error) {
    throw DiskError(unfinished.string(), "cannot be created (" + error.message() + ")",
                    "Free some space or choose another --out");
  }
  save_weights(parameters, unfinished / kModelFile);
  save_optimiser(optimiser, unfinished / kOptimizerFile);
  state["optimiser_steps"] = optimiser.steps();
  if (tensors_written) tensors_written();
  for (const char* name : {kModelFile, kOptimizerFile}) state["files"][name] = sha256_of_file(unfinished / name);
  state["update"] = update;
  write_whole(unfinished / kStateFile, state.dump(1) + '\n');
  sync_folder(unfinished);
  fs::remove_all(folder(update), error);  // an earlier one of the same update, from a run that was wound back
  fs::rename(unfinished, folder(update), error);
  if (error) {
    throw DiskError(folder(update).string(), "cannot be renamed into place (" + error.message() + ")",
                    "See that the folder can be written to");
  }
  sync_folder(root_);
}

std::vector<int64_t> Checkpoints::updates() const {
  return checkpoint_updates(root_.parent_path());
}

int64_t Checkpoints::chosen(const std::string& which) const {
  return chosen_checkpoint(root_.parent_path(), which);
}

std::vector<fs::path> Checkpoints::model_files(const std::string& which, int64_t average) const {
  const int64_t one = chosen(which);
  if (average <= 1) return {model_file(one)};
  const std::vector<int64_t> all = updates();
  std::vector<fs::path> files;
  for (auto update = all.rbegin(); update != all.rend() && std::ssize(files) < average; ++update) {
    files.push_back(model_file(*update));
  }
  return files;
}

nlohmann::json Checkpoints::load(int64_t update, ParameterStore& parameters, Optimiser& optimiser) const {
  const fs::path from = folder(update);
  nlohmann::json state = this->state(update);
  for (const char* name : {kModelFile, kOptimizerFile}) check_file(from / name, state);
  check_weights(parameters, from / kModelFile);
  optimiser.load_state(state["optimiser_steps"].get<int64_t>(), read_optimiser(from / kOptimizerFile));
  load_weights(parameters, from / kModelFile);
  return state;
}

void Checkpoints::prune(int64_t newest, const std::vector<int64_t>& spared) const {
  std::error_code ignored;
  const std::string own = fmt::format("-{}", getpid());
  for (const auto& entry : fs::directory_iterator(root_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kUnfinished) && !name.ends_with(own)) fs::remove_all(entry.path(), ignored);
  }
  if (newest <= 0) return;
  std::vector<int64_t> all = updates();
  for (size_t i = 0; i + static_cast<size_t>(newest) < all.size(); ++i) {
    if (std::ranges::find(spared, all[i]) == spared.end()) fs::remove_all(folder(all[i]), ignored);
  }
}

void load_average(ParameterStore& parameters, const std::vector<fs::path>& files) {
  at::NoGradGuard no_grad;
  at::Tensor sum = at::zeros_like(parameters.values(), at::kDouble);
  for (const fs::path& file : files) {
    load_weights(parameters, file);
    sum += parameters.values();
  }
  parameters.values().copy_(sum / static_cast<double>(files.size()));
}

}  // namespace plumb
