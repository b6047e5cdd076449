#pragma once

#include <span>
#include <string>

namespace plumb {

/// A curve in one line of text: a block of one of eight heights for each value from 0 to 1. Values outside are cut off;
/// what is not a number is shown as a question mark.
std::string sparkline(std::span<const double> heights);

}  // namespace plumb
