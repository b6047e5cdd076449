#pragma once

#include <filesystem>

#include "plumb/data/prepared.h"

namespace plumb {

/// A run keeps what turns text into ids and back in `RUN/vocabulary/`: it can be moved and used without the cache or
/// the corpus it was trained on.
struct RunVocabulary {
  TokenizerFiles source, target;
  std::string frames = {};  // statistics of the frames of a training set, if the run has them
};

inline constexpr char kFrameStatistics[] = "frames.json";

void keep_vocabulary(const std::filesystem::path& run, const Prepared& data);

/// Throws DamagedFile if the target has neither a model nor a dictionary. A source that is not text has none.
RunVocabulary vocabulary_of(const std::filesystem::path& run);

}  // namespace plumb
