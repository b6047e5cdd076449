#pragma once

#include <cstdint>

namespace plumb {

/// The first ids of every vocabulary, in fairseq's order. Whatever order a model file has, a Tokenizer speaks this one.
inline constexpr int32_t kBos = 0, kPad = 1, kEos = 2, kUnk = 3;
inline constexpr int32_t kSpecials = 4;

}  // namespace plumb
