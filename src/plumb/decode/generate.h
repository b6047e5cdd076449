#pragma once

#include <span>
#include <vector>

#include "plumb/decode/search.h"
#include "plumb/nn/transformer.h"

namespace plumb {

/// Searches for the output of every source of a packed batch.
std::vector<std::vector<Hypothesis>> generate(const Transformer& model, const Tokens& sources,
                                              const GenerateConfig& options, uint64_t seed);

/// How a text begins, and the name that its samples are drawn by.
struct Prompt {
  std::vector<int32_t> tokens;
  int64_t sample = 0;
};

/// Lets a language model go on from each of them. The hypotheses begin with the prompt; the length limits and scores
/// are those of what follows it.
std::vector<std::vector<Hypothesis>> continue_prompts(const Transformer& model, std::span<const Prompt> prompts,
                                                      const GenerateConfig& options, uint64_t seed);

}  // namespace plumb
