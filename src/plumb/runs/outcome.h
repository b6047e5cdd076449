#pragma once

#include <optional>
#include <string_view>

namespace plumb {

/// How a run ended. `finished` says that it made all its updates, not that it learnt: for that the last validation loss
/// stands beside it, as a share of the unigram entropy of the target.
enum class RunOutcome { Finished, Stuck, Diverged, Interrupted };

std::string_view outcome_name(RunOutcome outcome);  // "finished", "stuck", "diverged", "interrupted"

/// By its name; `trained` of older runs is finished. Nothing if there is none of that name.
std::optional<RunOutcome> parse_outcome(std::string_view name);

/// The word of today for an outcome or a state of older files: finished for trained, and every other word as it is.
std::string_view outcome_word(std::string_view word);

/// A validation loss (nll) against what a unigram model has: 1 is no better than knowing how frequent each token is.
/// Nothing if the entropy is not above 0.
std::optional<double> unigram_share(double nll, double unigram_entropy);

}  // namespace plumb
