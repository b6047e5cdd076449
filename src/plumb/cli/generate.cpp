// plumb generate RUN [--beam N] [--lenpen X] [--set generate.key=value]... < source > output

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/standard_files.h"
#include "plumb/base/to_stderr.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/checkpoint/run_weights.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/config/load.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/ops/fused/gemm.h"
#include "plumb/ops/path.h"
#include "plumb/task/task.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLinesAtOnce = 2000;
constexpr size_t kBytesAtOnce = size_t{8} << 20;
constexpr size_t kLongestLine = size_t{1} << 20;  // bytes: far more than a model has positions for

class Generator {
 public:
  Generator(const Transformer& model, const RunVocabulary& vocabulary, const Config& config)
      : model_(model), config_(config), task_(make_task(config, vocabulary)) {}

  /// Reads to the end and answers as soon as there is nothing more to read at once. False if some lines could not be
  /// read: recordings that are missing or damaged.
  bool run(LineReader& reader);

 private:
  std::string outputs(const std::vector<std::string>& lines, int64_t first_line, const std::string& input);
  void warn(const LineReader& reader) const;

  const Transformer& model_;
  const Config& config_;
  const std::unique_ptr<Task> task_;
  const ops::PanelScope weights_stay_;
  std::set<int64_t> shortened_;  // lines, from 0, of which the model saw only a part
  bool all_readable_ = true;
};

std::string Generator::outputs(const std::vector<std::string>& lines, int64_t first_line, const std::string& input) {
  Answered answered = task_->answer(model_, lines, first_line, config_);
  std::ranges::sort(answered.unreadable);
  for (const auto& [line, problem] : answered.unreadable) {
    to_stderr("plumb: {}:{}: {}\n", input, first_line + line + 1, problem);
    all_readable_ = false;
  }
  for (int64_t line : answered.shortened) shortened_.insert(first_line + line);
  std::string text;
  for (const std::vector<Answer>& list : answered.lines) {
    for (const Answer& one : list) {
      if (config_.generate.nbest > 1) text += fmt::format("{:.6f}\t", one.score);
      text += one.text + '\n';
    }
  }
  return text;
}

bool Generator::run(LineReader& reader) {
  std::vector<std::string> lines;
  size_t bytes = 0;
  int64_t done = 0;
  const auto flush = [&] {
    print(outputs(lines, done, reader.name()));
    done += std::ssize(lines);
    lines.clear();
    bytes = 0;
  };
  uint64_t cut = 0;
  for (std::string line; reader.next(line);) {
    if (reader.findings().cut > cut) shortened_.insert(done + std::ssize(lines));
    cut = reader.findings().cut;
    bytes += line.size();
    lines.push_back(std::move(line));
    if (lines.size() == kLinesAtOnce || bytes >= kBytesAtOnce || reader.would_wait()) flush();
  }
  flush();
  warn(reader);
  return all_readable_;
}

void Generator::warn(const LineReader& reader) const {
  const LineReader::Findings& met = reader.findings();
  if (met.replaced > 0) {
    to_stderr("plumb: {}: in {} of {} lines, bytes that are not UTF-8 text were replaced by U+FFFD\n", reader.name(),
              met.replaced, met.lines);
  }
  if (!shortened_.empty()) {
    to_stderr("plumb: {}:{}: {} of {} lines are too long for the model's {} positions: only a part of them was used\n",
              reader.name(), *shortened_.begin() + 1, shortened_.size(), met.lines, model_.config().max_positions);
  }
}

}  // namespace

int generate_command(int argc, char** argv) {
  std::string run, which = "best";
  std::vector<std::string> overrides;
  std::optional<int64_t> beam, nbest, average;
  std::optional<double> lenpen;
  CLI::App app;
  app.add_option("run", run, "run directory written by `plumb train`")->required();
  app.add_option("--beam", beam, "beam width; 1 is greedy");
  app.add_option("--lenpen", lenpen, "a hypothesis scores log-probability / length^lenpen");
  app.add_option("--nbest", nbest, "print so many hypotheses a line, each after its score and a tab");
  app.add_option("--average", average, "number of last checkpoints whose weights are averaged");
  const CLI::Option* named =
      app.add_option("--checkpoint", which, "best, last, or the number of an update")->capture_default_str();
  app.add_option("--set", overrides, "generate.key=value; may be repeated")->allow_extra_args(false);
  if (!parse_arguments(app, argc, argv)) return 0;
  FileDescriptor input = standard_input("Give the lines: plumb generate RUN < FILE");
  std::error_code ignored;
  if (!fs::exists(fs::path(run) / kConfigFile, ignored)) {
    throw UserError(run, "is not a run directory", "Name one that `plumb train` wrote");
  }
  if (beam) overrides.push_back(fmt::format("generate.beam={}", *beam));
  if (lenpen) overrides.push_back(fmt::format("generate.lenpen={}", *lenpen));
  if (nbest) overrides.push_back(fmt::format("generate.nbest={}", *nbest));
  if (!average && named->count() > 0) average = 1;  // who names one means it, whatever the run's config averages
  if (average) overrides.push_back(fmt::format("generate.average={}", *average));
  const Config config = load_config(fs::path(run) / kConfigFile, overrides);
  set_threads(config.threads);
  ops::set_path(config.ops);
  RunWeights weights(run, config, {which, config.generate.average});
  const RunVocabulary vocabulary = vocabulary_of(run);
  weights.check_vocabulary(vocabulary);
  Transformer model(config.model, static_cast<uint64_t>(config.seed), where_of(config));
  weights.load(model.parameters());
  Generator generator(model, vocabulary, config);
  if (isatty(STDIN_FILENO)) to_stderr("plumb: reading lines from the terminal; Ctrl-D ends them\n");
  LineReader reader(std::move(input), "stdin",
                    {.bad_bytes = BadBytes::Replace, .longest = kLongestLine, .long_lines = LongLines::Cut});
  return static_cast<int>(generator.run(reader) ? Exit::Done : Exit::UserInput);
}

}  // namespace plumb
