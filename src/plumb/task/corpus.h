#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "plumb/data/batches.h"
#include "plumb/task/batch.h"

namespace plumb {

/// What a batch may draw by chance (masked words, masked stretches of audio): a pure function of these and of the
/// example, so that a resumed run draws the same.
struct Draw {
  bool training = false;
  uint64_t seed = 1;
  int64_t epoch = 0;

  bool operator==(const Draw&) const = default;
};

/// The examples of one split, read by index.
class TaskCorpus {
 public:
  virtual ~TaskCorpus() = default;

  /// How many rows each example takes, for cutting batches.
  std::span<const PairLengths> lengths() const { return lengths_; }
  /// Examples that the text has but nobody learns from: empty or too long.
  int64_t left_out() const { return left_out_; }

  virtual TrainingBatch batch(const SentenceList& examples, const Draw& draw = {}) const = 0;

  /// Of the targets, in nats: what a model reaches that knows how often each of them occurs.
  virtual double unigram_entropy() const = 0;

 protected:
  std::vector<PairLengths> lengths_;
  int64_t left_out_ = 0;
};

/// The entropy of counted things, in nats.
double entropy_of(const std::map<int32_t, int64_t>& counts);

}  // namespace plumb
