#pragma once

#include <filesystem>

#include "plumb/reproduce/entry.h"

namespace plumb::reproduce {

struct StepOptions {
  std::filesystem::path out;  // runs are kept in out/<sweep>/, whichever entry asks for them
  int cores = 0;              // 0: all
  bool quiet = false;
};

/// All that the rules of an entry are about, and the seconds that it took on the clock when it was made, all runs added
/// up.
struct Evidence {
  Measurements measured;
  double seconds = 0;
};

/// Does what is left to do of an entry's desk experiment: sweeps go on where they were, probes that are there are not
/// repeated. Throws Interrupted (process/signals.h) at a signal, and an Error if a run cannot be done: then there is
/// nothing to judge.
Evidence gather(const Entry& entry, const StepOptions& options);

}  // namespace plumb::reproduce
