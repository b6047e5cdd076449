#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/runs/checkpoint_state.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// Which weights of a run are wanted: those of the checkpoint "best", "last" or with this number or, with `average`
/// above 1, the mean of the last ones.
struct WeightsChoice {
  std::string which = "best";
  int64_t average = 1;
};

/// The weights of a run for those who use them: generate, evaluate, probe, fine-tune. Everything that decides what the
/// weights compute is compared with what the checkpoint itself remembers: RUN/config.toml is a file that people edit.
///
/// A training run beside it may remove a checkpoint at any moment. Unless it was asked for by its number, the choice is
/// then made again.
class RunWeights {
 public:
  /// Chooses. Throws UserError if there is none, or if the config differs from a checkpoint's in a key that decides
  /// outputs: it names the key.
  RunWeights(std::filesystem::path run, const Config& config, WeightsChoice choice);

  /// Throws DamagedFile if the run's vocabularies are not those that it was trained with.
  void check_vocabulary(const RunVocabulary& vocabulary) const;

  /// Verifies the weights and puts them, or their mean, into the store.
  void load(ParameterStore& parameters);

  /// The updates of the chosen checkpoints, newest first.
  const std::vector<int64_t>& updates() const { return updates_; }
  std::vector<std::filesystem::path> files() const;

 private:
  /// Uses the chosen checkpoints, and chooses again if one of them went away meanwhile.
  void while_there(const std::function<void()>& use);
  void choose();
  bool lost_the_race() const;

  std::filesystem::path run_;
  Config config_;
  WeightsChoice choice_;
  std::vector<int64_t> updates_;
  CheckpointState newest_;
};

/// Throws UserError, naming them, if keys of `config` that decide outputs differ from those of a checkpoint. `where` is
/// the run.
void check_same_model(const CheckpointState& state, const Config& config, const std::string& where);

}  // namespace plumb
