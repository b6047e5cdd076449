#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

/// The parts of a built-in corpus. What an item says decides for good which of them it belongs to, whatever the seed,
/// so that nothing that is tested was trained on.
enum class Split { Train, Valid, Test };

/// The split of an item that a number names: 8 of 10 train, 1 valid, 1 test.
Split split_of(int64_t number);

/// The same for a text.
Split split_of(std::string_view text);

/// "train", "valid" or "test": streams and files are named by it.
std::string_view name_of(Split split);

}  // namespace plumb
