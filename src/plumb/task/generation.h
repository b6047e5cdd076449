#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/data/batches.h"
#include "plumb/decode/search.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/task.h"

namespace plumb {

/// What the encoder reads for some of the examples. Those that turn out to be unreadable it may take out of the list.
using SourceOf = std::function<Tokens(SentenceList& examples)>;

/// The output of every example as ids, best first, in batches of `options.max_tokens` source rows. Examples of length
/// 0, and those that `source` takes out, have none.
std::vector<std::vector<Hypothesis>> generate_all(const Transformer& model, std::span<const PairLengths> lengths,
                                                  const SourceOf& source, const GenerateConfig& options, uint64_t seed);

/// As many answers for each line as were asked for, whatever came out.
std::vector<std::vector<Answer>> as_answers(std::vector<std::vector<Hypothesis>> found, const Tokenizer& tokenizer,
                                            int64_t wanted);

}  // namespace plumb
