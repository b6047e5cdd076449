#pragma once

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"

#include "support/temporary_directory.h"

namespace plumb {

/// A corpus of 60 made-up sentence pairs of different lengths, as `plumb prepare` leaves it, and a config for a tiny
/// model of it, with dropout.
struct TinyTranslation {
  TinyTranslation();

  TemporaryDirectory folder;
  Prepared data;
  Config config;
};

}  // namespace plumb
