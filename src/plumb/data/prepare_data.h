#pragma once

#include <string>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/config/sources.h"
#include "plumb/data/prepared.h"

namespace plumb {

/// Has `plumb prepare` tokenise the corpus of a config, once, and takes what the data decides into the config (data/
/// sized_by.h). With `run` the vocabularies are those that it has kept.
Prepared prepare_data(const std::string& file, const std::vector<std::string>& overrides, Config& config,
                      const Sources& sources, const std::string& run = "");

}  // namespace plumb
