#pragma once

#include <functional>
#include <vector>

#include "plumb/probe/probe.h"

namespace plumb::probe {

/// What one probe found in one model, over its seeds.
struct Finding {
  const ProbeRow* row;
  std::vector<Readings> by_seed;
  std::vector<Curve> means;
  double seconds = 0;
};

/// Everything that was measured of one wiring.
struct Findings {
  std::string variant;
  Config config;
  std::vector<Finding> all;

  /// The curve of a probe's number, or nullptr if it was not measured.
  const Curve* curve(const std::string& probe, const std::string& number, const Labels& labels = {}) const;
  /// The mean of a number that has no axis, or the last on its axis; not a number if it was not measured.
  double number(const std::string& probe, const std::string& number, const Labels& labels = {}) const;
};

/// Runs the probes for every seed. A trained model has one set of weights and is measured once. `done` is called after
/// each probe of each seed.
Findings examine(const Subject& first, const std::vector<const ProbeRow*>& rows, const std::function<void()>& done);

}  // namespace plumb::probe
