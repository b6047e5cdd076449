#include "plumb/speech/frame_statistics.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/memory/where.h"

namespace plumb {
namespace {

constexpr double kLeastDeviation = 1e-5;  // fairseq's

std::string whole_text(const std::string& path) {
  uint64_t size = 0;
  const FileDescriptor file = open_to_read(path, &size);
  std::string text(size, '\0');
  text.resize(read_at(file, path, std::as_writable_bytes(std::span(text)), 0));
  return text;
}

bool is_sound(const FrameStatistics& s) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return !s.mean.empty() && s.mean.size() == s.deviation.size() && std::ranges::all_of(s.mean, finite) &&
         std::ranges::all_of(s.deviation, [](double x) { return std::isfinite(x) && x > 0; });
}

}  // namespace

// Two passes over an utterance, then the sums of both parts become those of the whole (Chan, Golub and LeVeque 1979): a
// sum of squares alone would lose its digits. Distances are to the first frame, so a constant has none at all.
void FrameAccumulator::add(const at::Tensor& frames) {
  if (frames.size(0) == 0) return;
  const at::Tensor rows = frames.contiguous();
  const int64_t count = rows.size(0), bins = rows.size(1);
  if (count_ == 0) mean_.assign(static_cast<size_t>(bins), 0), squares_ = mean_;
  TORCH_CHECK(std::ssize(mean_) == bins, "frames of ", bins, " bands after some of ", mean_.size());
  const float* first = cpu_numbers<float>(rows).data();
  const auto n = static_cast<double>(count), before = static_cast<double>(count_);
  for (int64_t b = 0; b < bins; ++b) {
    double shift = 0, squares = 0;
    const double origin = first[b];
    for (int64_t t = 0; t < count; ++t) shift += (first[t * bins + b] - origin) / n;
    for (int64_t t = 0; t < count; ++t) squares += std::pow(first[t * bins + b] - origin - shift, 2);
    double& mean = mean_[static_cast<size_t>(b)];
    const double distance = origin + shift - mean;
    mean += distance * n / (n + before);
    squares_[static_cast<size_t>(b)] += squares + distance * distance * n * before / (n + before);
  }
  count_ += count;
}

FrameStatistics FrameAccumulator::statistics() const {
  TORCH_CHECK(count_ > 0, "no frames, no statistics");
  FrameStatistics result{mean_, squares_};
  for (double& x : result.deviation) x = std::max(std::sqrt(x / static_cast<double>(count_)), kLeastDeviation);
  return result;
}

void write_statistics(const std::string& path, const FrameStatistics& statistics) {
  const nlohmann::json json = {{"mean", statistics.mean}, {"deviation", statistics.deviation}};
  write_whole(path, json.dump() + '\n');
}

FrameStatistics read_statistics(const std::string& path) {
  FrameStatistics result;
  try {
    const nlohmann::json json = nlohmann::json::parse(whole_text(path));
    result = {json.at("mean"), json.at("deviation")};
  } catch (const nlohmann::json::exception&) {
    result = {};
  }
  if (!is_sound(result)) {
    throw DamagedFile(path, "it does not hold means and deviations of bands", "Prepare the data again");
  }
  return result;
}

}  // namespace plumb
