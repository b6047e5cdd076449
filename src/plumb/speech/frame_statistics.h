#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

/// Mean and deviation of every band. The deviation is 1e-5 at least: what does not vary is divided by something.
struct FrameStatistics {
  std::vector<double> mean, deviation;

  int64_t bins() const { return static_cast<int64_t>(mean.size()); }
  bool operator==(const FrameStatistics&) const = default;
};

/// The statistics of all frames of many utterances, without keeping them.
class FrameAccumulator {
 public:
  /// Float frames [T, bins].
  void add(const at::Tensor& frames);

  int64_t frames() const { return count_; }
  /// Needs one frame at least.
  FrameStatistics statistics() const;

 private:
  int64_t count_ = 0;
  std::vector<double> mean_, squares_;  // of the distances to the mean
};

/// As JSON: {"mean": [...], "deviation": [...]}. Whole or not at all.
void write_statistics(const std::string& path, const FrameStatistics& statistics);

/// Throws DamagedFile for anything that write_statistics() does not write.
FrameStatistics read_statistics(const std::string& path);

}  // namespace plumb
