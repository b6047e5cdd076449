#pragma once

#include "plumb/config/config.h"
#include "plumb/config/sources.h"
#include "plumb/data/prepared.h"

namespace plumb {

/// What the data decides: the config with the sizes of its vocabularies, its number of classes, and the rate of its
/// audio. A size that the user wrote down must be the real one, or UserError names its line.
Config sized_by(Config config, const Prepared& data, const Sources& sources);

/// The same where the data is that of a run whose config is known.
Config sized_as(Config config, const Config& run);

/// The same before there is data: a vocabulary that nobody sized has the size that it is to be trained with.
Config sized_before_data(Config config, const Sources& sources);

}  // namespace plumb
