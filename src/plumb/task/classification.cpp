// The label of a sentence, or of a pair of sentences.

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/data/token_file.h"
#include "plumb/task/loss.h"
#include "plumb/task/run_tokenizer.h"
#include "plumb/task/sentence_pair.h"
#include "plumb/task/task.h"

namespace plumb {
namespace {

/// A line of the token file is a, or a </s> b.
struct Pair {
  std::span<const int32_t> a, b;
};

Pair split_pair(std::span<const int32_t> ids) {
  const auto end = std::ranges::find(ids, kSep);
  if (end == ids.end()) return {ids, {}};
  const auto length = static_cast<size_t>(end - ids.begin());
  return {ids.first(length), ids.subspan(length + 1)};
}

class LabelledCorpus : public TaskCorpus {
 public:
  LabelledCorpus(const PreparedSplit& files, const Config& config)
      : sentences_(files.source.tokens),
        labels_(files.target.tokens),
        segments_(config.model.segments),
        most_rows_(std::min(config.data.max_length, config.model.max_positions)) {
    for (int64_t i = 0; i < sentences_.sentences(); ++i) {
      const Pair pair = of(i);
      lengths_.push_back({pair_rows(std::ssize(pair.a), std::ssize(pair.b)), 0});
    }
  }

  TrainingBatch batch(const SentenceList& examples, const Draw&) const override {
    PairPacker packer;
    std::vector<int64_t> labels;
    for (int64_t example : examples) {
      const Pair pair = of(example);
      packer.add(pair.a, pair.b, example);
      labels.push_back(labels_[example].front() - kSpecials);
    }
    return {{packer.tokens(segments_), {}}, Where().of(labels)};
  }

  double unigram_entropy() const override {
    std::map<int32_t, int64_t> counts;
    for (int64_t i = 0; i < labels_.sentences(); ++i) ++counts[labels_[i].front()];
    return entropy_of(counts);
  }

 private:
  Pair of(int64_t example) const {
    Pair pair = split_pair(sentences_[example]);
    shorten_pair(pair.a, pair.b, most_rows_);
    return pair;
  }

  TokenFile sentences_, labels_;
  int segments_;
  int64_t most_rows_;
};

class Classification : public Task {
 public:
  Classification(const Config& config, const RunVocabulary& vocabulary)
      : config_(config), tokenizer_(vocabulary.source, config.data), labels_(open_labels(vocabulary.target)) {}

  std::unique_ptr<TaskCorpus> open(const PreparedSplit& files, bool) const override {
    return std::make_unique<LabelledCorpus>(files, config_);
  }

  std::vector<std::string> outputs(const Transformer& model, const TaskCorpus& corpus,
                                   const GenerateConfig& options) const override {
    std::vector<std::string> all(corpus.lengths().size());
    for (const SentenceList& examples : ordered_batches(corpus.lengths(), options.max_tokens)) {
      const std::vector<Answer> answers = labels_of(model, corpus.batch(examples));
      for (size_t i = 0; i < examples.size(); ++i) all[static_cast<size_t>(examples[i])] = answers[i].text;
    }
    return all;
  }

  /// A line is a sentence, or two with a tab between them. The score is the probability of the label.
  Answered answer(const Transformer& model, std::span<const std::string> lines, int64_t first_line,
                  const Config& config) const override {
    if (config.generate.nbest > 1) {
      throw UserError("generate.nbest", "a sentence has one label", "Leave it at 1");
    }
    Answered result;
    result.lines.resize(lines.size());
    const int64_t most = std::min(config_.data.max_length, config_.model.max_positions);
    std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>> ids;
    std::vector<PairLengths> lengths;
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::vector<std::string> parts = sentences_of(lines[i]);
      ids.emplace_back(tokenizer_->encode(parts[0]), tokenizer_->encode(parts[1]));
      auto& [a, b] = ids.back();
      std::span<const int32_t> first = a, second = b;
      shorten_pair(first, second, most);
      if (first.size() + second.size() < a.size() + b.size()) result.shortened.push_back(static_cast<int64_t>(i));
      a.resize(first.size());
      b.resize(second.size());
      lengths.push_back({pair_rows(std::ssize(a), std::ssize(b)), 0});
    }
    for (const SentenceList& batch : ordered_batches(lengths, config.generate.max_tokens)) {
      PairPacker packer;
      for (int64_t i : batch) {
        const auto& [a, b] = ids[static_cast<size_t>(i)];
        packer.add(a, b, first_line + i);
      }
      std::vector<Answer> answers = labels_of(model, {{packer.tokens(config_.model.segments), {}}, {}});
      for (size_t i = 0; i < batch.size(); ++i) result.lines[static_cast<size_t>(batch[i])] = {std::move(answers[i])};
    }
    return result;
  }

 private:
  static std::vector<std::string> sentences_of(const std::string& line) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) return {line, ""};
    return {line.substr(0, tab), line.substr(tab + 1)};
  }

  std::vector<Answer> labels_of(const Transformer& model, const TrainingBatch& batch) const {
    at::NoGradGuard no_grad;
    const auto [probabilities, classes] =
        class_logits(model, batch.to(model.where()), model.pass()).softmax(-1).max(-1);
    std::vector<Answer> answers;
    const std::vector<double> likely = numbers_of<double>(probabilities);
    const std::vector<int64_t> best = numbers_of<int64_t>(classes);
    for (size_t i = 0; i < best.size(); ++i) {
      const auto id = static_cast<int32_t>(best[i] + kSpecials);
      answers.push_back({labels_->decode(std::span(&id, 1)), likely[i]});
    }
    return answers;
  }

  Config config_;
  LazyTokenizer tokenizer_;
  std::unique_ptr<Tokenizer> labels_;
};

}  // namespace

std::unique_ptr<Task> make_classification(const Config& config, const RunVocabulary& vocabulary) {
  return std::make_unique<Classification>(config, vocabulary);
}

}  // namespace plumb
