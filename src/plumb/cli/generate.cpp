// plumb generate RUN [--beam N] [--lenpen X] [--set generate.key=value]... < source > output

#include "plumb/decode/generate.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/config/load.h"
#include "plumb/data/batches.h"
#include "plumb/run/checkpoint.h"
#include "plumb/task/translation.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLinesAtOnce = 2000;

struct Generator {
  const Transformer& model;
  const Tokenizer& source;
  const Tokenizer& target;
  DecodeOptions options;
  int64_t max_tokens;
  bool scores;
};

// One text for each line, whatever the line holds: nothing comes out where nothing went in.
std::vector<std::string> outputs(const Generator& g, const std::vector<std::string>& lines, int64_t first_line) {
  const std::vector<std::vector<int32_t>> ids = g.source.encode_lines(lines);
  std::vector<PairLengths> lengths;
  for (const auto& one : ids) lengths.push_back({std::ssize(one) + 1, 0});
  std::vector<std::vector<Hypothesis>> found(lines.size());
  for (const SentenceList& sentences : ordered_batches(lengths, g.max_tokens)) {
    std::vector<std::vector<int32_t>> sources;
    std::vector<int64_t> samples, kept;
    for (int64_t i : sentences) {
      const std::vector<int32_t>& one = ids[static_cast<size_t>(i)];
      if (one.empty()) continue;
      sources.push_back(one);
      samples.push_back(first_line + i);
      kept.push_back(i);
    }
    if (kept.empty()) continue;
    auto results = generate(g.model, pack_sources(sources, samples), g.options);
    for (size_t i = 0; i < kept.size(); ++i) found[static_cast<size_t>(kept[i])] = std::move(results[i]);
  }
  std::vector<std::string> texts;
  for (const std::vector<Hypothesis>& list : found) {
    std::vector<std::vector<int32_t>> tokens;
    for (const Hypothesis& one : list) tokens.push_back(one.tokens);
    const std::vector<std::string> decoded = g.target.decode_lines(tokens);
    std::string text;
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text += '\n';
      text += g.scores ? fmt::format("{:.6f}\t{}", list[i].score, decoded[i]) : decoded[i];
    }
    texts.push_back(text);
  }
  return texts;
}

// The checkpoints to use: the last `average` ones, or a single one.
std::vector<fs::path> weights(const fs::path& run, const std::string& which, int64_t average) {
  const Checkpoints checkpoints(run);
  const std::vector<int64_t> updates = checkpoints.updates();
  if (updates.empty()) {
    throw UserError(run.string(), "holds no checkpoint", "Name a run directory that `plumb train` wrote");
  }
  int64_t last = updates.back();
  if (which == "best") {
    std::ifstream file(checkpoints.folder(last) / "state.json");
    const nlohmann::json state = nlohmann::json::parse(file);
    const int64_t best = state.at("position").at("best_update");
    if (best > 0) last = best;
  } else if (which != "last") {
    last = std::atoll(which.c_str());
  }
  if (average <= 1) return {checkpoints.model_file(last)};
  std::vector<fs::path> files;
  for (auto update = updates.rbegin(); update != updates.rend() && std::ssize(files) < average; ++update) {
    files.push_back(checkpoints.model_file(*update));
  }
  return files;
}

Prepared prepared_of(const fs::path& run) {
  const Checkpoints checkpoints(run);
  std::ifstream file(checkpoints.folder(checkpoints.updates().back()) / "state.json");
  return prepared_from_json(nlohmann::json::parse(file).at("prepared").get<std::string>());
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
  app.add_option("--average", average, "average the weights of the last so many checkpoints");
  app.add_option("--checkpoint", which, "best, last, or the number of an update")->capture_default_str();
  app.add_option("--set", overrides, "generate.key=value; may be repeated")->allow_extra_args(false);
  if (!parse_arguments(app, argc, argv)) return 0;
  if (!fs::exists(fs::path(run) / "config.toml")) {
    throw UserError(run, "is not a run directory", "Name one that `plumb train` wrote");
  }
  if (beam) overrides.push_back(fmt::format("generate.beam={}", *beam));
  if (lenpen) overrides.push_back(fmt::format("generate.lenpen={}", *lenpen));
  if (nbest) overrides.push_back(fmt::format("generate.nbest={}", *nbest));
  if (average) overrides.push_back(fmt::format("generate.average={}", *average));
  const Config config = load_config(fs::path(run) / "config.toml", overrides);
  set_threads(config.threads);
  const std::vector<fs::path> files = weights(run, which, config.generate.average);
  Transformer model(config.model, static_cast<uint64_t>(config.seed));
  load_average(model.parameters(), files);
  const Prepared data = prepared_of(run);
  const auto source = open_tokenizer(data.source_tokenizer), target = open_tokenizer(data.target_tokenizer);
  const Generator generator{.model = model,
                            .source = *source,
                            .target = *target,
                            .options = decode_options(config.generate, static_cast<uint64_t>(config.seed)),
                            .max_tokens = config.generate.max_tokens,
                            .scores = config.generate.nbest > 1};
  LineReader reader(FileDescriptor(dup(STDIN_FILENO)), "stdin", {.bad_bytes = BadBytes::Replace});
  std::vector<std::string> lines;
  int64_t done = 0;
  const auto flush = [&] {
    for (const std::string& text : outputs(generator, lines, done)) print(text + '\n');
    done += std::ssize(lines);
    lines.clear();
  };
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
    if (lines.size() == kLinesAtOnce || reader.would_wait()) flush();
  }
  flush();
  return 0;
}

}  // namespace plumb
