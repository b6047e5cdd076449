#include "plumb/probe/sample.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include "plumb/data/batches.h"
#include "plumb/task/loss.h"
#include "plumb/task/task.h"

namespace plumb::probe {
namespace {

constexpr int64_t kMaskEvery = 7;  // about 15 %, the same rows for every model
constexpr int64_t kChunkTokens = 2048;
constexpr uint64_t kSampleSeed = 1;

/// What a model of this form makes of a sentence pair.
ProbeBatch shaped(const Config& config, TrainingBatch pair) {
  switch (config.model.form) {
    case Form::EncoderDecoder:
      if (config.model.input == InputKind::Frames) {
        pair.inputs.source.frames = at::randn({pair.inputs.source.rows.rows(), config.model.frame_width},
                                              at::make_generator<at::CPUGeneratorImpl>(kSampleSeed), Where().options());
      }
      return pair;
    case Form::Decoder:
      return {{{}, std::move(pair.inputs.target)}, std::move(pair.targets)};
    case Form::Encoder:
      break;
  }
  Tokens masked = pair.inputs.source;
  masked.segments = at::zeros_like(masked.ids);
  if (config.model.head == HeadKind::Classes) {
    at::Tensor classes =
        at::arange(masked.rows.sequences(), Where().options(at::kLong)).remainder(config.model.classes);
    return {{std::move(masked), {}}, std::move(classes)};
  }
  const at::Tensor rows = at::arange(0, masked.ids.numel(), kMaskEvery, Where().options(at::kLong));
  at::Tensor targets = masked.ids.index_select(0, rows);
  masked.ids = masked.ids.index_fill(0, rows, kUnk);
  return {{std::move(masked), {}}, std::move(targets), rows};
}

/// A pool of random sentences: lengths are log-normal, tokens follow Zipf's law.
class RandomPairs {
 public:
  explicit RandomPairs(const ModelConfig& model)
      : source_(zipf(model.source_vocab)),
        target_(zipf(model.target_vocab)),
        longest_(std::min(100, model.max_positions)) {}

  TrainingBatch batch(int64_t target_tokens) {
    std::vector<int64_t> sources, targets, source_lengths, target_lengths;
    while (std::ssize(targets) < target_tokens) {
      const int64_t length = this->length();
      const int64_t answer =
          std::clamp<int64_t>(std::llround(static_cast<double>(length) * wobble_(random_)), 2, longest_);
      fill(sources, source_, length);
      fill(targets, target_, answer);
      source_lengths.push_back(length);
      target_lengths.push_back(answer);
    }
    TrainingBatch result;
    result.inputs.source = {Where().of(sources), ops::Packed(source_lengths)};
    result.targets = Where().of(targets);
    std::vector<int64_t> inputs = targets;  // shifted by one; </s> ends one sentence and begins the next
    std::rotate(inputs.rbegin(), inputs.rbegin() + 1, inputs.rend());
    result.inputs.target = {Where().of(inputs), ops::Packed(target_lengths)};
    return result;
  }

 private:
  static std::discrete_distribution<int64_t> zipf(int vocabulary) {
    std::vector<double> weights;
    for (int rank = 1; rank <= vocabulary - (kUnk + 1); ++rank) weights.push_back(1.0 / rank);
    return {weights.begin(), weights.end()};
  }
  int64_t length() {
    return std::clamp<int64_t>(std::llround(std::exp(length_(random_))), std::min(4, longest_), longest_);
  }
  void fill(std::vector<int64_t>& ids, std::discrete_distribution<int64_t>& words, int64_t length) {
    for (int64_t i = 0; i + 1 < length; ++i) ids.push_back(kUnk + 1 + words(random_));
    ids.push_back(kEos);
  }

  std::mt19937_64 random_{kSampleSeed};
  std::normal_distribution<> length_{2.93, 0.57};  // a mean of 22
  std::normal_distribution<> wobble_{1, 0.1};
  std::discrete_distribution<int64_t> source_, target_;
  int longest_;
};

}  // namespace

Sample Sample::to(const Where& where) const {
  Sample there;
  there.origin = origin;
  for (const ProbeBatch& batch : batches) there.batches.push_back(batch.to(where));
  for (const ProbeBatch& chunk : fixed) there.fixed.push_back(chunk.to(where));
  return there;
}

Sample sample_of(const Config& config, const Prepared& data) {
  Sample sample;
  sample.origin = data.train.source.text;
  const std::unique_ptr<Task> task = make_task(config, {data.source_tokenizer, data.target_tokenizer});
  const auto train = task->open(data.train, /*training=*/true), valid = task->open(data.valid, /*training=*/true);
  const auto batches = epoch_batches(train->lengths(), config.probe.batch_tokens, kSampleSeed, /*epoch=*/0);
  for (const SentenceList& sentences : batches) {
    if (std::ssize(sample.batches) == config.probe.batches) break;
    sample.batches.push_back(train->batch(sentences));
  }
  const int64_t all = std::ssize(valid->lengths());
  const int64_t wanted = config.probe.curvature_pairs == 0 ? all : std::min(all, config.probe.curvature_pairs);
  const auto chunks = ordered_batches(valid->lengths().first(static_cast<size_t>(wanted)), kChunkTokens);
  for (const SentenceList& sentences : chunks) sample.fixed.push_back(valid->batch(sentences));
  return sample.to(where_of(config));
}

Sample random_sample(const Config& config) {
  Sample sample;
  sample.origin = "random tokens by Zipf's law";
  RandomPairs pairs(config.model);
  for (int64_t i = 0; i < config.probe.batches; ++i) {
    sample.batches.push_back(shaped(config, pairs.batch(config.probe.batch_tokens)));
  }
  constexpr int64_t kMeanLength = 22;
  int64_t left = std::max<int64_t>(1, config.probe.curvature_pairs) * kMeanLength;
  for (; left > 0; left -= kChunkTokens) {
    sample.fixed.push_back(shaped(config, pairs.batch(std::min(left, kChunkTokens))));
  }
  return sample.to(where_of(config));
}

at::Tensor mean_loss(const Transformer& model, const ProbeBatch& batch, const TrainConfig& train, Pass pass) {
  pass.where = model.where();
  return losses(model, batch, train, pass).smoothed / static_cast<double>(batch.tokens());
}

}  // namespace plumb::probe
