#include "plumb/sweep/run_all.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/sweep/own_folder.h"
#include "plumb/sweep/stored_sweep.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

constexpr char kUnfinishedTest[] = "test.json.part";

/// A sweep's runs are measured on the test set, if it asks for that, and its results are in sweep.json.
class TestMeasuring : public Measuring {
 public:
  TestMeasuring(const Sweep& sweep, const fs::path& out, SweepData& data) : sweep_(sweep), out_(out), data_(data) {
    for (const Arm& arm : arms_of(sweep)) metric_of_arm_.push_back(test_metric_of(sweep, config_of(sweep, arm)));
  }

  RunResult read(const Run& run) override { return read_result(sweep_, out_, run); }

  Step next_step(const RunResult& result) override {
    const fs::path folder = out_ / result.run.folder;
    Step step{.arguments = {"evaluate", folder.string(), "--split", "test", "--json", "--average",
                            std::to_string(sweep_.test_average)},
              .output = folder / kUnfinishedTest};
    const std::string& metric = metric_of_arm_[result.run.arm];
    if (!metric.empty()) {
      step.arguments.insert(step.arguments.end(), {"--metric", metric, "--outputs", (folder / kOutputsFile).string()});
    }
    return step;
  }

  // What is tested on, beside the outputs: comparisons of runs need both.
  void keep(const RunResult& result, const Step& step) override {
    const fs::path folder = out_ / result.run.folder;
    const std::string reference = data_.prepare(result.run).test.target.text;
    std::error_code error;
    if (!reference.empty()) {
      fs::copy_file(reference, folder / kReferencesFile, fs::copy_options::overwrite_existing, error);
    }
    // Last: it says that the test is done.
    if (!error) fs::rename(step.output, folder / kTestFile, error);
    if (error) throw DiskError(folder.string(), "cannot be written (" + error.message() + ")", "Free some space");
  }

  // Without it every test would fail, after all the training.
  void check_data(const Prepared& data) const override {
    if (!sweep_.test || data.test.there()) return;
    throw UserError(place_of(sweep_) + " test", "the data has no test set", "Set data.test_source, or leave test out");
  }

  void write(const std::vector<RunResult>& results) override { write(make_results(sweep_, out_, results)); }
  void write(const SweepResults& results) const {
    write_whole(out_ / kSweepResultsFile, to_json_line(to_json(results)) + "\n");
  }

 private:
  const Sweep& sweep_;
  const fs::path& out_;
  SweepData& data_;
  std::vector<std::string> metric_of_arm_;
};

}  // namespace

SweepResults run_all(const Sweep& sweep, const RunOptions& options) {
  check_sweep(sweep);
  const OwnFolder folder(options.out);
  const StoredSweep stored(sweep, options.out);
  SweepData data(sweep, arms_of(sweep), program_of(options), options.out);
  TestMeasuring measuring(sweep, options.out, data);
  Runner runner(sweep, options, data, measuring);
  SweepResults results = make_results(sweep, options.out, runner.run(runs_of(sweep, arms_of(sweep)), [&] {
    stored.write();
    data.write();
  }));
  compare_tests(results);
  measuring.write(results);
  return results;
}

}  // namespace plumb::sweep
