#pragma once

#include <filesystem>

#include "plumb/sweep/plan.h"
#include "plumb/sweep/results.h"

namespace plumb {

struct RunOptions {
  std::filesystem::path out;         // the sweep's directory
  int cores = 0;                     // 0: Sweep::cores
  bool quiet = false;                // no progress on stderr
  std::filesystem::path plumb = {};  // the program to start; empty: the one that this is, or is beside
};

/// A signal ended a sweep. Its runs have been told and have saved; the same command goes on.
struct SweepInterrupted {
  int signal;
};

/// Runs what is not done yet, several at a time within the cores, each as a process of its own, and returns the results
/// of all. A run that has ended (finished, stuck or diverged) is not done again; one that has not goes on from its
/// checkpoints. A process that fails otherwise is started once more, then its run counts as failed until the next call.
/// Everything is in `out`, which is locked: this process may be killed at any moment and takes its children with it.
///
/// Throws UserError if `out` holds a sweep of which an arm was another, naming what differs; arms and seeds may be
/// added.
SweepResults run_all(const Sweep& sweep, const RunOptions& options);

}  // namespace plumb
