#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/sweep/runner.h"

namespace plumb::sweep {

/// Runs of a fine-tuning: the last checkpoint of each, also of one that diverged or got stuck, is evaluated on the
/// validation and test sets, and result.json beside it says what came out. A run that has that file is done.
class TunedRuns : public Measuring {
 public:
  TunedRuns(const Sweep& sweep, const std::vector<Arm>& arms, std::filesystem::path out, SweepData& data);

  /// Throws UserError if the folder holds another run: one with another config, or the result of other data.
  void check(const Run& run);

  /// What is in result.json.
  nlohmann::json result(const Run& run) const;

  RunResult read(const Run& run) override;
  Step next_step(const RunResult& result) override;
  void keep(const RunResult& result, const Step& step) override;
  void check_data(const Prepared&) const override {}
  void write(const std::vector<RunResult>&) override {}

 private:
  std::filesystem::path folder(const Run& run) const { return out_ / run.folder; }
  std::string missing_split(const Run& run);  // that is still to be evaluated; empty: none
  void write_result(const Run& run, const RunSummary& summary);

  const Sweep& sweep_;
  const std::vector<Arm>& arms_;
  std::filesystem::path out_;
  SweepData& data_;
};

}  // namespace plumb::sweep
