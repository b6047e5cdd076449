#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plumb/data/prepared.h"
#include "plumb/sweep/plan.h"

namespace plumb {

/// The corpora of a sweep. Each is tokenised once, before its runs start: runs that start together would do it at the
/// same time.
class SweepData {
 public:
  SweepData(const Sweep& sweep, std::vector<Arm> arms, std::filesystem::path plumb);

  /// Has `plumb prepare` do it, unless a run with the same data has asked before. Throws what it says.
  const Prepared& prepare(const Run& run);

 private:
  const Sweep& sweep_;
  std::vector<Arm> arms_;
  std::filesystem::path plumb_;
  std::vector<std::string> sections_;         // of each arm: what its data is a function of
  std::map<std::string, Prepared> prepared_;  // by that and the seed, which built-in data is drawn from
};

}  // namespace plumb
