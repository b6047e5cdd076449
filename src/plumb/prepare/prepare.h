#pragma once

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"

namespace plumb {

/// Makes everything that a run reads: writes built-in data out, trains vocabularies, tokenises each side once. What is
/// in the cache already, by content, is not made again.
///
/// With `run` the vocabularies are those that a run has kept, whatever became of its corpus.
Prepared prepare(const Config& config, const std::string& run = "");

}  // namespace plumb
