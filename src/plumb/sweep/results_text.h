#pragma once

#include <string>

#include "plumb/sweep/results.h"

namespace plumb::sweep {

/// What --dry-run prints: every arm with its settings, and how many of its runs are done.
std::string dry_run_text(const SweepResults& results);

/// The table of arms, heat maps if the grid has two keys, and the comparisons with the baseline. `colours`: for a
/// terminal.
std::string results_text(const SweepResults& results, bool colours);

/// The parts of it.
std::string arms_text(const SweepResults& results, bool colours);
std::string comparisons_text(const SweepResults& results);
std::string heat_maps_text(const SweepResults& results, bool colours);

}  // namespace plumb::sweep
