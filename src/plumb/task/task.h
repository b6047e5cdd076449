#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/corpus.h"
#include "plumb/text/tokenizer.h"

namespace plumb {

/// Mean negative log-likelihood over a whole corpus, without dropout.
struct Validation {
  double loss = 0;  // what is minimised, per target
  double nll = 0;   // of the targets alone, in nats
  int64_t targets = 0;
  double perplexity() const;
};

/// One of the outputs for a line.
struct Answer {
  std::string text;
  double score = 0;
};

/// What came of a piece of the input.
struct Answered {
  std::vector<std::vector<Answer>> lines;  // as many for each line as were asked for
  std::vector<int64_t> shortened;          // lines, counted from the first of the piece, of which only a part was read
  /// Lines that could not be read at all, and why; their answers are empty.
  std::vector<std::pair<int64_t, std::string>> unreadable = {};
};

/// A thing to learn: how its examples become batches, and how a trained model answers. One file each, one row each in
/// catalogue/tasks.cpp; nothing else knows which task it is.
class Task {
 public:
  virtual ~Task() = default;

  /// In training, examples that are empty or too long are left out.
  virtual std::unique_ptr<TaskCorpus> open(const PreparedSplit& files, bool training) const = 0;

  /// Keeps in a run what its corpus taught besides the vocabulary.
  virtual void keep(const std::filesystem::path&) const {}

  /// The model's output for every example of the corpus, in its order, for the task's metric.
  virtual std::vector<std::string> outputs(const Transformer& model, const TaskCorpus& corpus,
                                           const GenerateConfig& options) const;

  /// Further numbers of a validation: perplexity per word, for example.
  virtual std::vector<std::pair<std::string, double>> numbers(const TaskCorpus& corpus, const Validation& result) const;

  /// Answers to lines that a user gives; `first_line` is the number of the first one, from 0.
  virtual Answered answer(const Transformer& model, std::span<const std::string> lines, int64_t first_line,
                          const Config& config) const;
};

/// The task of a config, on the vocabulary of a corpus or of a run.
std::unique_ptr<Task> make_task(const Config& config, const RunVocabulary& vocabulary);

// One file each: task/<name>.cpp.
std::unique_ptr<Task> make_translation(const Config& config, const RunVocabulary& vocabulary);
std::unique_ptr<Task> make_language_model(const Config& config, const RunVocabulary& vocabulary);
std::unique_ptr<Task> make_masked_lm(const Config& config, const RunVocabulary& vocabulary);
std::unique_ptr<Task> make_classification(const Config& config, const RunVocabulary& vocabulary);
std::unique_ptr<Task> make_speech(const Config& config, const RunVocabulary& vocabulary);

}  // namespace plumb
