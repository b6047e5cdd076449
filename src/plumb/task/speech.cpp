// Recorded speech to text.

#include <algorithm>
#include <numeric>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plumb/audio/read_audio.h"
#include "plumb/audio/resample.h"
#include "plumb/base/error.h"
#include "plumb/base/progress.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/data/token_file.h"
#include "plumb/nn/subsampler.h"
#include "plumb/speech/frame_statistics.h"
#include "plumb/speech/log_mel.h"
#include "plumb/speech/normalise.h"
#include "plumb/speech/spec_augment.h"
#include "plumb/task/generation.h"
#include "plumb/task/parallel_corpus.h"
#include "plumb/task/run_tokenizer.h"
#include "plumb/task/task.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

LogMelOptions log_mel_options(const SpeechConfig& config) {
  LogMelOptions options;
  options.sample_rate = static_cast<int>(config.sample_rate);
  options.bins = static_cast<int>(config.mel_bins);
  options.source_rate = static_cast<int>(config.source_rate);
  options.dither = config.dither;
  return options;
}

/// Audio files to frames that a model can read.
class FrameReader {
 public:
  explicit FrameReader(const SpeechConfig& config) : config_(config), log_mel_(log_mel_options(config)) {}

  /// Known from the header alone.
  int64_t frames(const std::string& path) const {
    const AudioLength length = audio_length(path);
    return log_mel_.options().frames(resampled_length(length.samples, length.rate, rate()));
  }

  /// [frames, bins]
  at::Tensor read(const std::string& path, int64_t sample) const {
    const Audio audio = read_audio(path);
    const bool as_it_is = audio.rate == rate();
    const std::vector<float> samples = as_it_is ? audio.samples : resample(audio.samples, audio.rate, rate(), path);
    const at::Tensor frames = log_mel_(samples, static_cast<uint64_t>(sample));
    if (frames.size(0) == 0) {
      throw UserError(path, "is shorter than one frame of 25 ms", "Remove it from the corpus");
    }
    switch (config_.normalise) {
      case FeatureNorm::None:
        return frames;
      case FeatureNorm::Utterance:
        return normalised(frames);
      case FeatureNorm::Global:
        break;
    }
    TORCH_CHECK(!statistics_.mean.empty(), "the statistics of the training set are not known yet");
    return normalised(frames, statistics_);
  }

  /// Makes the statistics of a training set those of every utterance.
  void use_statistics_of(const std::vector<std::string>& paths) {
    FrameAccumulator sums;
    Progress progress("measuring audio", paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
      const Audio audio = read_audio(paths[i]);
      sums.add(
          log_mel_(audio.rate == rate() ? audio.samples : resample(audio.samples, audio.rate, rate(), paths[i]), i));
      progress.advance(1);
    }
    statistics_ = sums.statistics();
  }
  const FrameStatistics& statistics() const { return statistics_; }
  void use_statistics(FrameStatistics statistics) { statistics_ = std::move(statistics); }

 private:
  int rate() const { return log_mel_.options().sample_rate; }

  SpeechConfig config_;
  LogMel log_mel_;
  FrameStatistics statistics_;
};

/// Frames of several utterances, packed.
Tokens packed_frames(const std::vector<at::Tensor>& utterances, const std::vector<int64_t>& samples) {
  std::vector<int64_t> lengths;
  for (const at::Tensor& frames : utterances) lengths.push_back(frames.size(0));
  Tokens tokens;
  tokens.rows = ops::Packed(lengths, samples);
  tokens.frames = at::cat(utterances);
  return tokens;
}

class SpeechCorpus : public TaskCorpus {
 public:
  /// Utterances that the model has no positions for, or whose transcript is empty or too long, are left out in
  /// training, and a UserError elsewhere: better now than at the first validation.
  SpeechCorpus(const PreparedSplit& files, const Config& config, std::shared_ptr<const FrameReader> reader,
               bool training)
      : config_(config.speech),
        reader_(std::move(reader)),
        paths_(LineReader(files.source.text).rest()),
        target_(files.target.tokens) {
    const int64_t longest = std::min(config.data.max_length, config.model.max_positions);
    for (int64_t i = 0; i < std::ssize(paths_); ++i) {
      const std::string& path = paths_[static_cast<size_t>(i)];
      const int64_t frames = reader_->frames(path), words = std::ssize(target_[i]) + 1;
      const int64_t most = training ? longest : config.model.max_positions;
      const bool fits = frames > 0 && Subsampler::rows_of(frames) <= config.model.max_positions && words <= most;
      if (!training && !fits) {
        throw UserError(path,
                        frames == 0
                            ? std::string("is shorter than one frame of 25 ms")
                            : fmt::format("its {} frames or {} tokens are too many for model.max_positions = {}",
                                          frames, words, config.model.max_positions),
                        "Remove it, or set model.max_positions higher");
      }
      if (training && (!fits || words == 1)) {
        ++left_out_;
        continue;
      }
      kept_.push_back(i);
      lengths_.push_back({frames, words});
    }
    if (kept_.empty()) {
      throw UserError(files.source.text, "no utterance is left to learn from",
                      "They may all be too long for model.max_positions");
    }
  }

  TrainingBatch batch(const SentenceList& examples, const Draw& draw) const override {
    DecoderRows rows;
    for (int64_t example : examples) rows.add(target_[line(example)], line(example));
    return {{source(examples, draw), rows.inputs.tokens()}, rows.targets.ids()};
  }

  Tokens source(const SentenceList& examples, const Draw& draw) const {
    std::vector<at::Tensor> utterances;
    std::vector<int64_t> samples;
    for (int64_t example : examples) {
      const int64_t sample = line(example);
      at::Tensor frames = reader_->read(paths_[static_cast<size_t>(sample)], sample);
      if (draw.training && config_.spec_augment) frames = augmented(frames, draw, sample);
      utterances.push_back(std::move(frames));
      samples.push_back(sample);
    }
    return packed_frames(utterances, samples);
  }

  double unigram_entropy() const override {
    std::map<int32_t, int64_t> counts;
    for (int64_t i : kept_) {
      for (int32_t id : target_[i]) ++counts[id];
      ++counts[kEos];
    }
    return entropy_of(counts);
  }

 private:
  int64_t line(int64_t example) const { return kept_[static_cast<size_t>(example)]; }

  at::Tensor augmented(const at::Tensor& frames, const Draw& draw, int64_t sample) const {
    const SpecAugmentOptions options{.time_masks = static_cast<int>(config_.time_masks),
                                     .time_width = static_cast<int>(config_.time_width),
                                     .time_share = config_.time_share,
                                     .frequency_masks = static_cast<int>(config_.frequency_masks),
                                     .frequency_width = static_cast<int>(config_.frequency_width)};
    return masked(frames, spec_masks(options, frames.size(0), frames.size(1), draw.seed,
                                     static_cast<uint64_t>(draw.epoch), static_cast<uint64_t>(sample)));
  }

  SpeechConfig config_;
  std::shared_ptr<const FrameReader> reader_;
  std::vector<std::string> paths_;
  TokenFile target_;
  std::vector<int64_t> kept_;
};

class Speech : public Task {
 public:
  Speech(const Config& config, const RunVocabulary& vocabulary)
      : config_(config),
        reader_(std::make_shared<FrameReader>(config.speech)),
        tokenizer_(vocabulary.target, config.data) {
    if (!vocabulary.frames.empty()) reader_->use_statistics(read_statistics(vocabulary.frames));
  }

  std::unique_ptr<TaskCorpus> open(const PreparedSplit& files, bool training) const override {
    const bool unknown = config_.speech.normalise == FeatureNorm::Global && reader_->statistics().mean.empty();
    if (unknown && training) reader_->use_statistics_of(LineReader(files.source.text).rest());
    return std::make_unique<SpeechCorpus>(files, config_, reader_, training);
  }

  void keep(const std::filesystem::path& run) const override {
    if (reader_->statistics().mean.empty()) return;
    write_statistics((run / kVocabularyFolder / kFrameStatistics).string(), reader_->statistics());
  }

  std::vector<std::string> outputs(const Transformer& model, const TaskCorpus& corpus,
                                   const GenerateConfig& options) const override {
    const auto& speech = dynamic_cast<const SpeechCorpus&>(corpus);
    const auto source = [&](const SentenceList& examples) { return speech.source(examples, {}); };
    std::vector<std::string> lines;
    for (auto& list : as_answers(generate_all(model, corpus.lengths(), source, options, /*seed=*/1), *tokenizer_, 1)) {
      lines.push_back(std::move(list.front().text));
    }
    return lines;
  }

  /// A line is the path of an audio file. One that cannot be read takes no other with it.
  Answered answer(const Transformer& model, std::span<const std::string> lines, int64_t first_line,
                  const Config& config) const override {
    Answered answered;
    const auto readable = [&](int64_t line, const auto& read) {
      try {
        read(lines[static_cast<size_t>(line)]);
        return true;
      } catch (const Error& error) {
        answered.unreadable.emplace_back(line, error.what());
        return false;
      }
    };
    std::vector<PairLengths> lengths(lines.size());
    for (int64_t i = 0; i < std::ssize(lines); ++i) {
      readable(i, [&](const std::string& path) {
        if (!path.empty()) lengths[static_cast<size_t>(i)].source = frames_that_fit(path, model);
      });
    }
    const auto source = [&](SentenceList& examples) {
      std::vector<at::Tensor> utterances;
      std::vector<int64_t> samples;
      std::erase_if(examples, [&](int64_t i) {
        return !readable(i, [&](const std::string& path) {
          utterances.push_back(reader_->read(path, first_line + i));
          samples.push_back(first_line + i);
        });
      });
      return examples.empty() ? Tokens{} : packed_frames(utterances, samples);
    };
    auto found = generate_all(model, lengths, source, config.generate, static_cast<uint64_t>(config.seed));
    answered.lines = as_answers(std::move(found), *tokenizer_, config.generate.nbest);
    return answered;
  }

 private:
  int64_t frames_that_fit(const std::string& path, const Transformer& model) const {
    const int64_t frames = reader_->frames(path);
    if (Subsampler::rows_of(frames) > model.config().max_positions) {
      throw UserError(path, fmt::format("is too long for the model's {} positions", model.config().max_positions),
                      "Cut it into utterances");
    }
    return frames;
  }

  Config config_;
  std::shared_ptr<FrameReader> reader_;  // learns the statistics of the training set when that is opened
  LazyTokenizer tokenizer_;
};

}  // namespace

std::unique_ptr<Task> make_speech(const Config& config, const RunVocabulary& vocabulary) {
  return std::make_unique<Speech>(config, vocabulary);
}

}  // namespace plumb
