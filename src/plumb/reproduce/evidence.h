#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plumb/reproduce/measurements.h"

namespace plumb::reproduce {

/// A run directory as rules see it. Numbers: loss (the best validation's, nats a token; infinity if it diverged),
/// last_loss, train_loss, ppl, entropy (of the target's unigrams), update, seconds, and the best of each score.
MeasuredRun measured_run(const std::filesystem::path& folder, const std::string& arm);

/// The curves of a probe.jsonl. They are `of` that, or of the variant that each names if it is empty.
std::vector<MeasuredCurve> measured_curves(const std::filesystem::path& file, const std::string& of);

}  // namespace plumb::reproduce
