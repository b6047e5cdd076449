#pragma once

#include <filesystem>
#include <memory>

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/task/task.h"
#include "plumb/train/resume_changes.h"

namespace plumb {

/// What a run learns from: its task, and the two corpora that training reads.
struct TrainingData {
  TrainingData(const Config& config, const Prepared& data);

  Prepared prepared;
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskCorpus> train, valid;

  /// Keeps in the run what it needs without the corpus: vocabularies and statistics.
  void keep(const std::filesystem::path& run) const;
};

/// With the number of threads in effect. Hashes every file.
RunIdentity identity_of(const Config& config, const TrainingData& data);

}  // namespace plumb
