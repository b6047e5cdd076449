// The next token of a text, in blocks or line by line.

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/decode/generate.h"
#include "plumb/task/generation.h"
#include "plumb/task/run_tokenizer.h"
#include "plumb/task/task.h"
#include "plumb/task/token_stream.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

class TextCorpus : public TaskCorpus {
 public:
  /// In training, lines that are too long for a sequence are left out; else they become several.
  TextCorpus(const PreparedSide& text, const LanguageModelConfig& config, int64_t context, int64_t longest,
             bool training)
      : text_(text.text), stream_(text.tokens), context_(context), training_(training) {
    const int64_t most = std::min(config.tokens_per_sample, longest);
    if (config.sample_break_mode == BreakMode::None) {
      for (int64_t at = 0; at < stream_.tokens(); at += most) add(at, std::min(at + most, stream_.tokens()), most);
    } else {
      add_lines(config.sample_break_mode == BreakMode::Complete, most);
    }
    if (spans_.empty()) throw UserError(text.text, "has no text to learn from", "Give lines of text");
  }

  TrainingBatch batch(const SentenceList& examples, const Draw&) const override {
    Packer inputs, targets;
    std::vector<int64_t> scored;
    for (int64_t example : examples) {
      const auto [begin, end] = spans_[static_cast<size_t>(example)];
      const int64_t read_from = std::max<int64_t>(0, begin - context_);
      for (int64_t t = begin; t < end; ++t) scored.push_back(inputs.rows() + t - read_from);
      inputs.add(read_from == 0 ? kEos : stream_[read_from - 1]);
      stream_.copy(read_from, end - 1, inputs);
      inputs.end_sequence(example);
      stream_.copy(begin, end, targets);
    }
    TrainingBatch batch{{{}, inputs.tokens()}, targets.ids()};
    if (context_ > 0) batch.scored = Where().of(scored);
    return batch;
  }

  double unigram_entropy() const override { return entropy_of(stream_.counts()); }
  const std::string& text() const { return text_; }

 private:
  struct Span {
    int64_t begin, end;
  };

  void add(int64_t begin, int64_t end, int64_t most) {
    if (end - begin > most && training_) {
      ++left_out_;
      return;
    }
    for (; end - begin > most; begin += most) add(begin, begin + most, most);
    spans_.push_back({begin, end});
    lengths_.push_back({0, end - begin + std::min(context_, begin)});
  }

  void add_lines(bool as_many_as_fit, int64_t most) {
    int64_t begin = 0;
    for (int64_t line = 0; line < stream_.lines(); ++line) {
      const int64_t end = stream_.end_of_line(line);
      const bool last = line + 1 == stream_.lines();
      const bool full = last || !as_many_as_fit || stream_.end_of_line(line + 1) - begin > most;
      if (!full) continue;
      add(begin, end, most);
      begin = end;
    }
  }

  std::string text_;
  TokenStream stream_;
  int64_t context_;
  bool training_;
  std::vector<Span> spans_;
};

/// What a text is made of besides tokens: the end of a line counts as one word and one byte.
struct TextSize {
  double words = 0, bytes = 0;
};

TextSize size_of(const std::string& path) {
  TextSize size;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    bool inside = false;
    for (char c : line) {
      const bool blank = c == ' ' || c == '\t';
      if (!blank && !inside) ++size.words;
      inside = !blank;
    }
    ++size.words;
    size.bytes += static_cast<double>(line.size() + 1);
  }
  return size;
}

class LanguageModel : public Task {
 public:
  LanguageModel(const Config& config, const RunVocabulary& vocabulary)
      : config_(config.language_model),
        max_positions_(config.model.max_positions),
        tokenizer_(vocabulary.target, config.data) {
    if (config_.context_window >= max_positions_) {
      throw UserError(
          "language_model.context_window",
          fmt::format("{} leaves no room in model.max_positions = {}", config_.context_window, max_positions_),
          "Make it smaller");
    }
    if (config_.sample_break_mode == BreakMode::None && config_.tokens_per_sample > max_positions_) {
      throw UserError(
          "language_model.tokens_per_sample",
          fmt::format("{} is more than model.max_positions = {}", config_.tokens_per_sample, max_positions_),
          "Make the blocks shorter, or set model.max_positions higher");
    }
  }

  std::unique_ptr<TaskCorpus> open(const PreparedSplit& files, bool training) const override {
    const int64_t context = training ? 0 : config_.context_window;
    return std::make_unique<TextCorpus>(files.source, config_, context, max_positions_ - context, training);
  }

  std::vector<std::pair<std::string, double>> numbers(const TaskCorpus& corpus,
                                                      const Validation& result) const override {
    const TextSize size = size_of(dynamic_cast<const TextCorpus&>(corpus).text());
    const double nats = result.nll * static_cast<double>(result.targets);
    return {{"ppl_word", std::exp(nats / size.words)},
            {"ppl_byte", std::exp(nats / size.bytes)},
            {"bits_per_byte", nats / size.bytes / std::log(2)}};
  }

  /// Lines are beginnings; each answer is the line and how it goes on.
  Answered answer(const Transformer& model, std::span<const std::string> lines, int64_t first_line,
                  const Config& config) const override {
    Answered result;
    std::vector<Prompt> prompts;
    const std::vector<std::vector<int32_t>> ids = tokenizer_->encode_lines(lines);
    // Half of the positions at least: the search stops where they end.
    const int64_t room = std::max({int64_t{1}, max_positions_ - config.generate.max_len_b - 1, max_positions_ / 2});
    for (size_t i = 0; i < ids.size(); ++i) {
      prompts.push_back({ids[i], first_line + static_cast<int64_t>(i)});
      if (std::ssize(ids[i]) <= room) continue;
      prompts.back().tokens.erase(prompts.back().tokens.begin(), prompts.back().tokens.end() - room);
      result.shortened.push_back(static_cast<int64_t>(i));
    }
    std::vector<std::vector<Hypothesis>> found;
    const auto at_once = static_cast<size_t>(std::max<int64_t>(1, config.generate.max_tokens / (room + 1)));
    for (size_t begin = 0; begin < prompts.size(); begin += at_once) {
      const size_t count = std::min(at_once, prompts.size() - begin);
      for (auto& list : continue_prompts(model, std::span(prompts).subspan(begin, count), config.generate,
                                         static_cast<uint64_t>(config.seed))) {
        found.push_back(std::move(list));
      }
    }
    result.lines = as_answers(std::move(found), *tokenizer_, config.generate.nbest);
    return result;
  }

 private:
  LanguageModelConfig config_;
  int64_t max_positions_;
  LazyTokenizer tokenizer_;
};

}  // namespace

std::unique_ptr<Task> make_language_model(const Config& config, const RunVocabulary& vocabulary) {
  return std::make_unique<LanguageModel>(config, vocabulary);
}

}  // namespace plumb
