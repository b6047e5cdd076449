#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

/// How far a run has come.
struct RunProgress {
  int64_t update = 0;
  double epoch = 0;    // 1.5 in the middle of the second
  int64_t tokens = 0;  // target tokens so far
};

/// What is said about training every `train.log_interval` updates: means over the updates since the last record that
/// were applied, and `lr` and `gradient_norm` of the last update.
struct TrainRecord {
  RunProgress at;
  double loss = 0, nll = 0;  // per target token
  double lr = 0;
  double gradient_norm = 0;
  double words_per_second = 0, words_per_update = 0;  // target tokens
  double rows_per_update = 0;
  double fill = 0;
};

/// What is said about a validation.
struct ValidRecord {
  RunProgress at;
  double loss = 0, nll = 0, perplexity = 0;
  std::vector<std::pair<std::string, double>> numbers;  // of the task and of train.validate_metric
  bool best = false;
};

/// What is said when a run starts.
struct StartRecord {
  int64_t parameters = 0;
  int64_t train_examples = 0, left_out = 0;
  double unigram_entropy = 0;
  int threads = 1;
};

/// A few lines of the validation set that a person can read beside the score.
struct Samples {
  std::vector<std::string> sources, references, outputs;
};

}  // namespace plumb
