// plumb-bench: Plumb's side of the benchmarks. It does what lines of JSON on stdin ask for and answers each with one on
// stdout. While it has nothing to do it waits in a read, so that the other workers have the machine for themselves.

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/base/step_timer.h"
#include "plumb/config/load.h"
#include "plumb/decode/generate.h"
#include "plumb/memory/caching_allocator.h"
#include "plumb/ops/fused/gemm.h"
#include "plumb/ops/path.h"
#include "plumb/optim/optimiser.h"
#include "plumb/store/weights_file.h"

#include "batch_file.h"
#include "hessian.h"
#include "machine.h"
#include "training_loss.h"

namespace plumb::bench {
namespace {

using nlohmann::json;

class Worker {
 public:
  Worker(const Config& config, const std::filesystem::path& batches)
      : config_(config), batches_(read_batches(batches)), model_(config.model, static_cast<uint64_t>(config.seed)) {}

  json answer(const json& command) {
    const std::string what = command.at("do");
    const TrainingBatch& batch = batches_[command.value("batch", size_t{0}) % batches_.size()];
    if (what == "weights") return save(command.at("file"));
    if (what == "loss") return loss(batch);
    if (what == "step") return step(batch);
    if (what == "generate") return generate(batch.inputs.source);
    if (what == "hvp") return {{"check", curvature(model_, batch, config_.train)}};
    if (what == "sgemm") return {{"gflops", sgemm_gflops(command.value("size", 1536))}};
    if (what == "peak_memory") return {{"bytes", peak_bytes()}};
    throw std::invalid_argument("there is no command " + what);
  }

 private:
  json save(const std::string& path) {
    save_weights(model_.parameters(), path);
    return json::object();
  }

  json loss(const TrainingBatch& batch) {
    const at::NoGradGuard no_grad;
    return {{"loss", training_loss(model_, batch, {}, config_.train).item<double>()}};
  }

  json step(const TrainingBatch& batch) {
    if (!optimiser_) optimiser_ = make_optimiser(config_.optim, model_.parameters());
    const StepTimer timer;
    model_.parameters().zero_gradients();
    const Pass pass{.training = true, .seed = 1, .step = static_cast<uint64_t>(optimiser_->steps())};
    const at::Tensor loss = training_loss(model_, batch, pass, config_.train);
    loss.backward();
    optimiser_->step(config_.optim.lr);
    json split;
    const StepTimes times = timer.times();
    for (size_t i = 0; i < times.size(); ++i) split[std::string(kStepParts[i])] = times[i];
    return {{"loss", loss.item<double>()}, {"split", split}};
  }

  json generate(const Tokens& source) {
    if (!panels_) panels_.emplace();  // the weights stay as they are
    size_t tokens = 0;
    double log_probability = 0;
    for (const auto& hypotheses : plumb::generate(model_, source, config_.generate, /*seed=*/1)) {
      tokens += hypotheses.at(0).tokens.size();
      log_probability += hypotheses.at(0).log_probability;
    }
    return {{"tokens", tokens}, {"check", log_probability}};
  }

  Config config_;
  std::vector<TrainingBatch> batches_;
  Transformer model_;
  std::unique_ptr<Optimiser> optimiser_;  // made by the first step: a search needs none
  std::optional<ops::PanelScope> panels_;
};

void serve(Worker& worker) {
  for (std::string line; std::getline(std::cin, line);) {
    const json command = json::parse(line);
    if (command.at("do") == "quit") return;
    const int64_t faults = page_faults(), reference_calls = ops::reference_calls(), fresh = memory::fresh_allocations();
    const auto start = std::chrono::steady_clock::now();
    json answer = worker.answer(command);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    answer["seconds"] = seconds.count();
    answer["page_faults"] = page_faults() - faults;
    answer["fresh_allocations"] = memory::fresh_allocations() - fresh;
    answer["reference_calls"] = ops::reference_calls() - reference_calls;
    std::cout << to_json_line(answer) << std::endl;
  }
}

int run(int argc, char** argv) {
  std::string batches;
  ops::Path path = ops::Path::Fused;
  int threads = 2;
  std::vector<std::string> settings;
  CLI::App app("Plumb's worker for bench/run.py, which tells it what to do");
  app.add_option("--batches", batches, "the file that batches.py wrote")->required();
  const std::map<std::string, ops::Path> paths = {{"fused", ops::Path::Fused}, {"reference", ops::Path::Reference}};
  app.add_option("--path", path, "fused or reference")->transform(CLI::CheckedTransformer(paths));
  app.add_option("--threads", threads, "threads")->capture_default_str();
  app.add_option("--set", settings, "a key of the config, as in `plumb train`")->allow_extra_args(false);
  CLI11_PARSE(app, argc, argv);
  memory::install_caching_allocator();
  at::set_num_threads(threads);
  const ops::PathScope scope(path);
  Worker worker(load_overrides(settings), batches);
  serve(worker);
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) {
  try {
    return plumb::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "plumb-bench: " << error.what() << '\n';
    return 1;
  }
}
