#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The names of what a run directory holds. They are spelt here and nowhere else.
inline constexpr char kConfigFile[] = "config.toml", kLogFile[] = "log.jsonl", kVocabularyFolder[] = "vocabulary",
                      kTensorBoardFolder[] = "tensorboard", kCheckpointsFolder[] = "checkpoints",
                      kProbesFolder[] = "probes";

/// Of a checkpoint: checkpoints/<update>/.
inline constexpr char kModelFile[] = "model.safetensors", kOptimizerFile[] = "optimizer.safetensors",
                      kStateFile[] = "state.json";

/// Of a folder of `plumb probe --out`, and of a sweep.
inline constexpr char kProbeFile[] = "probe.jsonl", kSweepResultsFile[] = "sweep.json";

/// One row of the table of files in docs/run-directory.md.
struct RunFileRow {
  std::string path;  // below the run directory
  std::string_view what;
};
std::vector<RunFileRow> run_files();

}  // namespace plumb
