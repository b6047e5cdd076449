#include "plumb/catalogue/run_files.h"

namespace plumb {

std::vector<RunFileRow> run_files() {
  using namespace std::string_literals;
  const std::string checkpoint = kCheckpointsFolder + "/<update>/"s;
  return {
      {kConfigFile,
       "effective configuration, written before the first step; `plumb train RUN/config.toml` repeats the run"},
      {kVocabularyFolder + "/"s,
       "`source` and `target` as `.model` (SentencePiece) or `.dict.txt` and `.codes`; `frames.json`: statistics of "
       "audio, if they are global. It makes a run independent of where it was trained and of the run that it "
       "fine-tunes"},
      {kLogFile, "one record per line, appended; see below"},
      {kTensorBoardFolder + "/"s, "the same numbers as TensorBoard event files, unless `train.tensorboard = false`"},
      {checkpoint + kModelFile, "weights, under the names of [parameters.md](parameters.md); tied tensors once"},
      {checkpoint + kOptimizerFile, "state of the optimiser as flat tensors"},
      {checkpoint + kStateFile, "checksums of all three files, and everything needed to resume"},
      {kProbesFolder + "/<name>/"s + kProbeFile,
       "measurements of `plumb reproduce`; `plumb probe --out DIR` writes `DIR/probe.jsonl`"},
  };
}

}  // namespace plumb
