#pragma once

namespace plumb {

/// Sets what the libraries of the engine read when they are loaded, so that the engine itself would be too late. What
/// the user has set stays.
void set_engine_environment();

}  // namespace plumb
