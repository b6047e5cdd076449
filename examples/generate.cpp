// Loads a run that `plumb train` wrote and answers the lines of stdin: generate RUN < source. Tokenisers run in
// `plumb`, which is started from the folder of this program or from PATH.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <plumb/checkpoint/run_weights.h>
#include <plumb/config/load.h>
#include <plumb/data/run_vocabulary.h>
#include <plumb/task/task.h>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: generate RUN < source\n");
    return 2;
  }
  const std::filesystem::path run = argv[1];
  const plumb::Config config = plumb::load_config(run / "config.toml", {});
  plumb::Transformer model(config.model, /*seed=*/1);
  plumb::RunWeights(run, config, {"best", config.generate.average}).load(model.parameters());
  const auto task = plumb::make_task(config, plumb::vocabulary_of(run));

  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  const plumb::Answered answered = task->answer(model, lines, /*first_line=*/0, config);
  for (const std::vector<plumb::Answer>& answers : answered.lines) {
    std::printf("%s\n", answers.empty() ? "" : answers.front().text.c_str());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
