#pragma once

#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/config/sources.h"
#include "plumb/data/prepared.h"

namespace plumb {

/// Has `plumb prepare` tokenise the corpus of a config, once, and takes the sizes of the vocabularies into the config.
/// A size that the user wrote down must be the real one. With `run` the vocabularies are those that it has kept.
Prepared prepare_data(const std::string& file, const std::vector<std::string>& overrides, Config& config,
                      const Sources& sources, const std::string& run = "");

}  // namespace plumb
