#include "plumb/spm/spm_trainer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/checked_file.h"
#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"
#include "plumb/base/sha256.h"
#include "plumb/process/own_process.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/utf8.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestSentence = 4000;  // SentencePiece leaves out what is longer than 4192 bytes
constexpr std::array<std::string_view, 2> kTypes = {"bpe", "unigram"};
constexpr std::array<std::string_view, 5> kNormalizations = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};

void check(const SpmOptions& options) {
  if (std::ranges::find(kTypes, options.type) == kTypes.end()) {
    throw UserError("type", fmt::format("there is no type {}", options.type),
                    fmt::format("Use {}", fmt::join(kTypes, " or ")));
  }
  if (std::ranges::find(kNormalizations, options.normalization) == kNormalizations.end()) {
    throw UserError("normalization", fmt::format("there is no normalization {}", options.normalization),
                    fmt::format("Use one of {}", fmt::join(kNormalizations, ", ")));
  }
  const int least = 5 + (options.byte_fallback ? 256 : 0);
  if (options.vocab_size < least) {
    throw UserError("vocab-size", fmt::format("{} is too small", options.vocab_size),
                    fmt::format("The least is {}", least));
  }
  if (!(options.character_coverage >= 0.98 && options.character_coverage <= 1)) {
    throw UserError("character-coverage", fmt::format("{} is not between 0.98 and 1", options.character_coverage),
                    "0.9995 is usual, 1 for small alphabets");
  }
  if (options.input_sentence_size < 0) {
    throw UserError("input-sentence-size", fmt::format("{} is negative", options.input_sentence_size), "0 means all");
  }
}

// A tab is SentencePiece's own mark, and it would leave the line out.
std::string without_tabs(std::string line) {
  std::ranges::replace(line, '\t', ' ');
  return line;
}

// Every line is as likely to be kept (Vitter's algorithm R), in the memory of those that are.
std::vector<std::string> sample(const LineSource& next, const SpmOptions& options) {
  std::vector<std::string> kept;
  RandomStream random(options.seed, "text.sample");
  const auto limit = static_cast<uint64_t>(options.input_sentence_size);
  uint64_t seen = 0;
  for (std::string line; next(line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    ++seen;
    if (limit == 0 || kept.size() < limit) {
      kept.push_back(without_tabs(line));
    } else if (const uint64_t place = random.below(seen); place < limit) {
      kept[place] = without_tabs(line);
    }
  }
  return kept;
}

// Hands SentencePiece the lines, long ones in parts. Training counts words between spaces, so a cut at a space changes
// nothing; only a word of 4000 bytes is cut inside.
class Sentences : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(const std::vector<std::string>& lines) : lines_(lines) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    while (rest_.empty()) {
      if (line_ == lines_.size()) {
        done_ = true;
        return;
      }
      rest_ = lines_[line_++];
    }
    const size_t length = cut();
    value_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

 private:
  size_t cut() const {
    if (rest_.size() <= kLongestSentence) return rest_.size();
    const size_t space = rest_.rfind(' ', kLongestSentence);
    if (space != std::string_view::npos && space > 0) return space;
    size_t at = kLongestSentence;
    while (at > 0 && (static_cast<unsigned char>(rest_[at]) & 0xC0) == 0x80) --at;  // not inside a character
    return at > 0 ? at : kLongestSentence;
  }

  const std::vector<std::string>& lines_;
  size_t line_ = 0;
  std::string_view rest_;
  std::string value_;
  bool done_ = false;
};

std::unordered_map<std::string, std::string> arguments(const SpmOptions& options) {
  return {{"model_type", options.type},
          {"vocab_size", std::to_string(options.vocab_size)},
          {"hard_vocab_limit", "false"},
          {"character_coverage", fmt::format("{}", options.character_coverage)},
          {"byte_fallback", options.byte_fallback ? "true" : "false"},
          {"normalization_rule_name", options.normalization},
          {"remove_extra_whitespaces", options.normalization == "identity" ? "false" : "true"},
          {"shuffle_input_sentence", "false"},
          {"num_threads", "1"},  // unigram adds its counts up per thread: the sum would depend on their number
          {"bos_id", "0"},
          {"pad_id", "1"},
          {"eos_id", "2"},
          {"unk_id", "3"},
          {"minloglevel", "3"}};
}

// "Vocabulary size is smaller than required_chars. 10 vs 265. ..." has the number that the user needs.
std::optional<int> least_size(std::string_view message) {
  const size_t at = message.find(" vs ");
  if (message.find("required_chars") == std::string_view::npos || at == std::string_view::npos) return {};
  return std::atoi(std::string(message.substr(at + 4, 12)).c_str());
}

[[noreturn]] void explain(const std::string& message, const SpmOptions& options, const std::string& name) {
  if (const std::optional<int> least = least_size(message)) {
    throw UserError("vocab-size",
                    fmt::format("{} is too small: the characters alone need {}", options.vocab_size, *least),
                    fmt::format("Use at least {}, or a lower character-coverage", *least + 1));
  }
  throw UserError(name, fmt::format("SentencePiece cannot train on it ({})", message.empty() ? "it stopped" : message),
                  "Is this text, with words in it?");
}

}  // namespace

LineSource lines_of(std::vector<std::string> paths) {
  struct State {
    std::vector<std::string> paths;
    size_t next = 0;
    std::unique_ptr<LineReader> reader;
  };
  const auto state = std::make_shared<State>(State{std::move(paths), 0, nullptr});
  return [state](std::string& line) {
    while (!state->reader || !state->reader->next(line)) {
      if (state->next == state->paths.size()) return false;
      state->reader = std::make_unique<LineReader>(state->paths[state->next++]);
    }
    return true;
  };
}

std::string train_spm(const LineSource& next, const SpmOptions& options, const std::string& name) {
  check(options);
  const std::vector<std::string> lines = sample(next, options);
  if (lines.empty()) throw UserError(name, "there is no text in it", "Give a file with a sentence per line");
  const WorkResult result = in_own_process([&](std::string& model) {
    Sentences sentences(lines);
    const auto status = sentencepiece::SentencePieceTrainer::Train(arguments(options), &sentences, &model);
    if (!status.ok()) model = status.ToString();
    return status.ok();
  });
  if (!result.succeeded) explain(result.bytes, options, name);
  return result.bytes;
}

void train_spm_file(const std::vector<std::string>& inputs, const SpmOptions& options, const fs::path& model) {
  write_whole(model, train_spm(lines_of(inputs), options, inputs.size() == 1 ? inputs[0] : "input"));
}

fs::path cached_model(const fs::path& directory, const std::vector<std::string>& inputs, const SpmOptions& options) {
  Sha256 hash;
  hash.update(fmt::format("spm 1 {} {} {} {} {} {} {}\n", options.type, options.vocab_size, options.character_coverage,
                          options.byte_fallback, options.normalization, options.input_sentence_size, options.seed));
  for (const std::string& input : inputs) hash.update(sha256_of_file(input) + "\n");
  const fs::path model = directory / fmt::format("spm-{}.model", hash.hex_digest().substr(0, 16));
  if (is_intact(model)) return model;
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  train_spm_file(inputs, options, model);
  add_checksum(model);
  return model;
}

}  // namespace plumb
