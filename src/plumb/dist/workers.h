#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

/// Those who train one model together. Each holds all of it and computes the gradients of its share of every update's
/// batches; then they exchange, so that each makes the same update.
///
/// All workers make the same calls in the same order, and every call gives each of them the same bits. A decision is
/// agreed before it is acted on: a worker that left the loop alone would leave the others waiting.
class Workers {
 public:
  Workers() = default;
  virtual ~Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Replaces both by their sums over all workers: the gradients of an update, and what is summed with them (loss,
  /// tokens). `gradients` is a flat buffer.
  virtual void sum(const at::Tensor& gradients, std::span<double> numbers) = 0;

  /// What each worker has, by rank.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;

  /// Replaces the tensor by that of rank 0.
  virtual void broadcast(const at::Tensor& tensor) = 0;

  /// Returns when all workers have come to it.
  virtual void barrier() = 0;

  /// The largest of what the workers say. 0 is "no": as soon as one has a reason to skip or to stop, all do.
  virtual int64_t agree(int64_t mine) = 0;

  /// Log, checkpoints and config are written by one worker.
  bool writes() const { return rank() == 0; }

  /// Things that were dealt to one worker: those from `begin` up to `end`, which is not among them.
  struct Share {
    int64_t begin = 0, end = 0;

    bool contains(int64_t index) const { return begin <= index && index < end; }
  };
  /// The part of `count` things that belongs to this worker: neighbours, shared out as evenly as possible.
  Share share(int64_t count) const { return {rank() * count / size(), (rank() + 1) * count / size()}; }
};

}  // namespace plumb
