// BERT pre-training: the masked tokens of a text, and whether one half of an example follows the other.

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/task/masking.h"
#include "plumb/task/run_tokenizer.h"
#include "plumb/task/sentence_pair.h"
#include "plumb/task/task.h"
#include "plumb/task/token_stream.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

constexpr int kLeastRows = 8;

/// Lines of one document, first to behind the last.
struct Document {
  int64_t begin, end;
};

// By the text, which has the marks; the tokens do not.
std::vector<Document> documents_of(const std::string& text, const std::string& start_mark) {
  std::vector<Document> documents;
  LineReader reader(text);
  int64_t line_number = 0, begin = 0;
  const auto end_at = [&](int64_t end) {
    if (end > begin) documents.push_back({begin, end});
    begin = end + 1;  // without the line that separates
  };
  for (std::string line; reader.next(line); ++line_number) {
    const bool separates =
        start_mark.empty() ? line.find_first_not_of(" \t") == std::string::npos : line.starts_with(start_mark);
    if (separates) end_at(line_number);
  }
  end_at(line_number);
  return documents;
}

class MaskedCorpus : public TaskCorpus {
 public:
  MaskedCorpus(const PreparedSide& text, const Config& config, std::shared_ptr<const Masking> masking)
      : stream_(text.tokens),
        masking_(std::move(masking)),
        segments_(config.model.segments),
        next_sentence_(config.model.next_sentence),
        most_rows_(std::min<int64_t>(config.masked_lm.tokens_per_sample, config.model.max_positions)) {
    const std::vector<Document> documents = documents_of(text.text, config.masked_lm.document_start);
    for (size_t i = 0; i < documents.size(); ++i) add_document(documents[i], static_cast<int64_t>(i));
    if (chunks_.empty()) {
      throw UserError(text.text, "has no document to learn from",
                      "Give lines of text, with an empty line between documents or masked_lm.document_start");
    }
  }

  TrainingBatch batch(const SentenceList& examples, const Draw& draw) const override {
    std::vector<int64_t> targets, scored, labels;
    PairPacker packer;
    for (int64_t example : examples) {
      RandomStream random(draw.seed, fmt::format("mask/{}/{}", draw.training ? draw.epoch : -1, example));
      const auto [a, b, follows] = halves(example, random);
      labels.push_back(follows ? 1 : 0);
      packer.add(a, b, example);
    }
    Tokens source = packer.tokens(segments_);
    mask(source, examples, draw, targets, scored);
    TrainingBatch batch{{std::move(source), {}}, Where().of(targets), Where().of(scored)};
    if (next_sentence_) batch.labels = Where().of(labels);
    return batch;
  }

  double unigram_entropy() const override {
    std::map<int32_t, int64_t> counts = stream_.counts();
    counts.erase(kEos);
    return entropy_of(counts);
  }

 private:
  /// A stretch of one document, cut in two where a line ends, or in the middle.
  struct Chunk {
    int64_t document;
    std::vector<int32_t> a, b;
  };
  struct Halves {
    std::span<const int32_t> a, b;
    bool follows;
  };

  void add_document(const Document& document, int64_t index) {
    const int64_t most = most_rows_ - (next_sentence_ ? 3 : 2);  // [CLS] and [SEP]s
    std::vector<int32_t> tokens;
    std::vector<size_t> line_ends;
    for (int64_t line = document.begin; line < document.end; ++line) {
      const std::span<const int32_t> ids = stream_.line(line);
      tokens.insert(tokens.end(), ids.begin(), ids.end());
      line_ends.push_back(tokens.size());
    }
    for (size_t begin = 0; begin < tokens.size(); begin += static_cast<size_t>(most)) {
      const size_t end = std::min(begin + static_cast<size_t>(most), tokens.size());
      const size_t cut = next_sentence_ ? cut_between(line_ends, begin, end) : end;
      const auto at = [&](size_t place) { return tokens.begin() + static_cast<std::ptrdiff_t>(place); };
      if (next_sentence_ && end - begin < 2) {
        ++left_out_;
        continue;
      }
      chunks_.push_back({index, {at(begin), at(cut)}, {at(cut), at(end)}});
      const auto rows = pair_rows(static_cast<int64_t>(cut - begin), static_cast<int64_t>(end - cut));
      lengths_.push_back({next_sentence_ ? most_rows_ : rows, 0});  // another second half may be longer
    }
  }

  static size_t cut_between(const std::vector<size_t>& line_ends, size_t begin, size_t end) {
    const size_t middle = begin + (end - begin) / 2;
    size_t best = middle;
    bool found = false;
    const auto distance = [&](size_t place) { return place > middle ? place - middle : middle - place; };
    for (size_t place : line_ends) {
      if (place <= begin || place >= end) continue;
      if (!found || distance(place) < distance(best)) best = place;
      found = true;
    }
    return best;
  }

  // Half of the second halves come from another document.
  Halves halves(int64_t example, RandomStream& random) const {
    const Chunk& own = chunks_[static_cast<size_t>(example)];
    Halves result{own.a, own.b, true};
    if (!next_sentence_ || random.uniform() < 0.5) return result;
    for (int tries = 0; tries < 10; ++tries) {
      const Chunk& other = chunks_[random.below(chunks_.size())];
      if (other.document == own.document) continue;
      result = {own.a, other.b, false};
      shorten_pair(result.a, result.b, most_rows_);
      break;
    }
    return result;
  }

  void mask(Tokens& source, const SentenceList& examples, const Draw& draw, std::vector<int64_t>& targets,
            std::vector<int64_t>& scored) const {
    int64_t* ids = cpu_numbers<int64_t>(source.ids).data();
    for (size_t i = 0; i < examples.size(); ++i) {
      const int64_t begin = source.rows.begin(static_cast<int64_t>(i));
      const int64_t length = source.rows.length(static_cast<int64_t>(i));
      RandomStream random(draw.seed, fmt::format("words/{}/{}", draw.training ? draw.epoch : -1, examples[i]));
      std::vector<int64_t> own(ids + begin, ids + begin + length);
      for (int64_t row : masking_->mask(own, 0, random)) {
        scored.push_back(begin + row);
        targets.push_back(ids[begin + row]);
      }
      std::ranges::copy(own, ids + begin);
    }
  }

  TokenStream stream_;
  std::shared_ptr<const Masking> masking_;
  int segments_;
  bool next_sentence_;
  int64_t most_rows_;
  std::vector<Chunk> chunks_;
};

class MaskedLm : public Task {
 public:
  MaskedLm(const Config& config, const RunVocabulary& vocabulary)
      : config_(config),
        masking_(
            std::make_shared<Masking>(config.masked_lm, open_tokenizer(vocabulary.source, config.data)->vocabulary())) {
    if (config.model.max_positions < kLeastRows) {
      throw UserError("model.max_positions", fmt::format("{} leaves no room for a text", config.model.max_positions),
                      fmt::format("Use {} or more", kLeastRows));
    }
  }

  std::unique_ptr<TaskCorpus> open(const PreparedSplit& files, bool) const override {
    return std::make_unique<MaskedCorpus>(files.source, config_, masking_);
  }

 private:
  Config config_;
  std::shared_ptr<const Masking> masking_;
};

}  // namespace

std::unique_ptr<Task> make_masked_lm(const Config& config, const RunVocabulary& vocabulary) {
  return std::make_unique<MaskedLm>(config, vocabulary);
}

}  // namespace plumb
