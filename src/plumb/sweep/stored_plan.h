#pragma once

#include <filesystem>

#include "plumb/sweep/plan.h"

namespace plumb {

/// Writes down in `out` what its runs are: sweep.toml, which repeats the sweep, and the config of every arm as
/// <arm>/arm.toml. If a sweep is there already, it must be this one or a part of it: throws UserError, naming what
/// differs, if an arm or a seed is gone or an arm has another config. Nothing is written then. The
/// directory, if it is there, must be locked by the caller.
void keep_plan(const Sweep& sweep, const std::filesystem::path& out);

}  // namespace plumb
