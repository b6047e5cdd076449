#pragma once

#include <compare>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/statistics.h"
#include "plumb/runs/probe_records.h"

namespace plumb::probe {

/// Which of several curves: {stack, encoder}, {matrix, fc2}. In the order in which people read them.
using Labels = std::vector<std::pair<std::string, std::string>>;

/// One number that a probe read off one model. `at` is its place on an axis (layer 3, depth 12); without an axis the
/// number stands alone.
struct Reading {
  std::string number;
  Labels labels;
  std::string axis;
  double at = 0;
  double value = 0;
};

/// What one probe read off one model.
class Readings {
 public:
  void add(std::string number, Labels labels, std::string axis, double at, double value) {
    all_.push_back({std::move(number), std::move(labels), std::move(axis), at, value});
  }
  void add(std::string number, Labels labels, double value) { add(std::move(number), std::move(labels), "", 0, value); }
  const std::vector<Reading>& all() const { return all_; }

 private:
  std::vector<Reading> all_;
};

/// A number along its axis, over the seeds.
struct Curve {
  struct Point {
    double at = 0;
    Summary over_seeds;
  };
  std::string number;
  Labels labels;
  std::string axis;
  std::vector<Point> points;  // ascending

  std::string label(const std::string& key) const;  // "" if there is none
  std::vector<double> places() const;
  std::vector<double> means() const;
};

/// The same numbers of several seeds, put together in the order in which they were first read.
std::vector<Curve> curves(const std::vector<Readings>& by_seed);

/// The curve of that number with all of these labels (and perhaps others), or nullptr.
const Curve* find_curve(const std::vector<Curve>& all, const std::string& number, const Labels& labels = {});

/// As probe.jsonl has them, without whose they are.
ReadingRecord record_of(const Reading& reading);
CurveRecord record_of(const Curve& curve);

}  // namespace plumb::probe
