#pragma once

#include "plumb/sweep/results.h"
#include "plumb/sweep/runner.h"
#include "plumb/sweep/sweep.h"

namespace plumb::sweep {

/// Runs what is not done yet, several at a time within the cores, each as a process of its own, and returns the results
/// of all. A run that has ended (finished, stuck or diverged) is not done again; one that has not is resumed from its
/// checkpoints. A process that fails otherwise is started once more, then its run counts as failed until the next call.
/// Everything is in `out`, which is locked: this process may be killed at any moment and takes its children with it.
///
/// Throws UserError if `out` holds a sweep of which an arm was another, naming what differs; arms and seeds may be
/// added. Throws Interrupted if a signal ended it; its runs have saved then, and the same command resumes them.
SweepResults run_all(const Sweep& sweep, const RunOptions& options);

}  // namespace plumb::sweep
