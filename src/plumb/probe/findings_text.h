#pragma once

#include <string>

#include "plumb/probe/examine.h"

namespace plumb::probe {

/// What a probe found, for the terminal: a line for each curve, with a picture of its course, and what the numbers
/// mean.
std::string in_words(const Finding& finding);

/// Several wirings side by side: the numbers that tell them apart.
std::string side_by_side(const std::vector<Findings>& all);

}  // namespace plumb::probe
