#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plumb {

/// "Did you mean gelu? ", or nothing when no name is near. `prefix` stands before the name in the sentence only.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names,
                         std::string_view prefix = "");

/// The remedy for a key that does not exist: the key that was probably meant, else every key of its section.
std::string unknown_key_remedy(const std::string& key);

}  // namespace plumb
