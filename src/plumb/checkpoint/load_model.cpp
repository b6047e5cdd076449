#include "plumb/checkpoint/load_model.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/checkpoint/file_sums.h"
#include "plumb/runs/checkpoint_state.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// The checksum to compare while the file is read. Checkpoints of older versions have none that is quick enough for
// that: their files are looked at twice.
std::string checksum_on_the_way(const fs::path& file) {
  const FileSums recorded = recorded_sums(file);
  if (recorded.xxh64.empty() && !recorded.sha256.empty()) check_file(file, read_checkpoint_state(file.parent_path()));
  return recorded.xxh64;
}

}  // namespace

void check_finite(const ParameterStore& parameters, const fs::path& file) {
  const std::string tensor = nonfinite_tensor(parameters);
  if (tensor.empty()) return;
  throw DamagedFile(file.string(), fmt::format("holds weights that are not finite ({}): the run had diverged", tensor),
                    "Use an earlier checkpoint");
}

void load_model(ParameterStore& parameters, const fs::path& file) {
  load_weights(parameters, file, checksum_on_the_way(file));
  check_finite(parameters, file);
}

Unmatched load_matching_model(ParameterStore& parameters, const fs::path& file) {
  const Unmatched unmatched = load_matching_weights(parameters, file, checksum_on_the_way(file));
  check_finite(parameters, file);
  return unmatched;
}

void load_average(ParameterStore& parameters, const std::vector<fs::path>& files) {
  if (files.size() == 1) return load_model(parameters, files.front());
  at::NoGradGuard no_grad;
  at::Tensor sum = at::zeros_like(parameters.values(), at::kDouble);
  for (const fs::path& file : files) {
    load_model(parameters, file);
    sum += parameters.values();
  }
  parameters.values().copy_(sum / static_cast<double>(files.size()));
}

}  // namespace plumb
