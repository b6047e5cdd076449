#pragma once

#include <string>
#include <vector>

#include "plumb/spm/spm_trainer.h"

namespace plumb {

/// A few hundred lines to train on: English, German, Japanese, all of them already in NFKC.
const std::vector<std::string>& sample_lines();

/// Lines that are hard to give back: many scripts, symbols, long words, what looks like markup. In NFKC, single spaces.
std::vector<std::string> odd_lines();

LineSource source_of(const std::vector<std::string>& lines);

}  // namespace plumb
