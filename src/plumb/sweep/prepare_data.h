#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plumb/data/prepared.h"
#include "plumb/sweep/sweep.h"

namespace plumb::sweep {

/// The corpora of a sweep. Each is tokenised once, before its runs start: runs that start together would do it at the
/// same time. Its folder says in data.json what they were, since runs on other texts cannot be compared.
class SweepData {
 public:
  SweepData(const Sweep& sweep, std::vector<Arm> arms, std::filesystem::path plumb, std::filesystem::path out);

  /// Has `plumb prepare` do it, unless a run with the same data has asked before. Throws what it says, and UserError if
  /// an earlier call has found other texts.
  const Prepared& prepare(const Run& run);

  /// data.json, with what was prepared.
  void write() const;

 private:
  /// What the data of an arm is a function of.
  struct Origin {
    std::string settings;
    bool built_in;  // then of the seed as well
  };
  std::string origin_of(const Run& run) const;
  void compare(const Run& run, const std::string& origin, const Prepared& prepared);

  const Sweep& sweep_;
  std::vector<Arm> arms_;
  std::filesystem::path plumb_, out_;
  std::vector<Origin> origins_;                      // of each arm
  std::map<std::string, Prepared> prepared_;         // by origin_of()
  std::map<std::string, std::string> fingerprints_;  // of this call and of earlier ones, by a hash of it
};

}  // namespace plumb::sweep
