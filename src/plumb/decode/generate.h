#pragma once

#include <vector>

#include "plumb/config/config.h"
#include "plumb/decode/search.h"
#include "plumb/nn/transformer.h"

namespace plumb {

DecodeOptions decode_options(const GenerateConfig& config, uint64_t seed);

/// Searches for the output of every source of a packed batch.
std::vector<std::vector<Hypothesis>> generate(const Transformer& model, const Tokens& sources,
                                              const DecodeOptions& options);

}  // namespace plumb
