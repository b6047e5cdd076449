// Translation and summarisation: lines of one text to lines of another.

#include "plumb/decode/generate.h"
#include "plumb/task/generation.h"
#include "plumb/task/parallel_corpus.h"
#include "plumb/task/run_tokenizer.h"
#include "plumb/task/task.h"

namespace plumb {
namespace {

class Translation : public Task {
 public:
  Translation(const Config& config, const RunVocabulary& vocabulary)
      : max_length_(std::min(config.data.max_length, config.model.max_positions)),
        source_(vocabulary.source, config.data),
        target_(vocabulary.target, config.data) {}

  std::unique_ptr<TaskCorpus> open(const PreparedSplit& files, bool training) const override {
    return std::make_unique<ParallelCorpus>(files, training ? max_length_ : 0);
  }

  std::vector<std::string> outputs(const Transformer& model, const TaskCorpus& corpus,
                                   const GenerateConfig& options) const override {
    const auto& pairs = dynamic_cast<const ParallelCorpus&>(corpus);
    const auto source = [&](const SentenceList& sentences) { return pairs.source(sentences); };
    std::vector<std::string> lines;
    for (auto& list : as_answers(generate_all(model, pairs.lengths(), source, options, /*seed=*/1), *target_, 1)) {
      lines.push_back(std::move(list.front().text));
    }
    return lines;
  }

  Answered answer(const Transformer& model, std::span<const std::string> lines, int64_t first_line,
                  const Config& config) const override {
    Answered result;
    std::vector<std::vector<int32_t>> ids = source_->encode_lines(lines);
    const auto room = static_cast<size_t>(model.config().max_positions - 1);  // and </s>
    std::vector<PairLengths> lengths;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i].size() > room) {
        ids[i].resize(room);
        result.shortened.push_back(static_cast<int64_t>(i));
      }
      lengths.push_back({ids[i].empty() ? 0 : std::ssize(ids[i]) + 1, 0});
    }
    const auto source = [&](const SentenceList& sentences) {
      std::vector<std::vector<int32_t>> chosen;
      std::vector<int64_t> samples;
      for (int64_t i : sentences) {
        chosen.push_back(ids[static_cast<size_t>(i)]);
        samples.push_back(first_line + i);
      }
      return pack_sources(chosen, samples);
    };
    const auto seed = static_cast<uint64_t>(config.seed);
    result.lines =
        as_answers(generate_all(model, lengths, source, config.generate, seed), *target_, config.generate.nbest);
    return result;
  }

 private:
  int64_t max_length_;
  LazyTokenizer source_, target_;
};

}  // namespace

std::unique_ptr<Task> make_translation(const Config& config, const RunVocabulary& vocabulary) {
  return std::make_unique<Translation>(config, vocabulary);
}

}  // namespace plumb
