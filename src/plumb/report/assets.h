#pragma once

#include <string_view>

namespace plumb::report {

/// A file that was compiled into the program: page.html, report.css, report.js (all of assets/*.js in their order),
/// uPlot.iife.min.js, uPlot.min.css, "uPlot LICENSE". cmake/embed_assets.cmake writes the function's body.
std::string_view asset(std::string_view name);

}  // namespace plumb::report
