#pragma once

#include <nlohmann/json_fwd.hpp>

namespace plumb {

/// Whether objects and lists are nested more than `levels` deep. What is copied from a file as it stands is asked
/// first: writing JSON goes down into it by recursion, and a line of a hundred thousand brackets would end the program.
bool deeper_than(const nlohmann::json& value, int levels);

constexpr int kDeepestJson = 32;

}  // namespace plumb
