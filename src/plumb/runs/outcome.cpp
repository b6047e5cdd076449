#include "plumb/runs/outcome.h"

#include <algorithm>
#include <iterator>

namespace plumb {
namespace {

constexpr std::string_view kOutcomes[] = {"finished", "stuck", "diverged", "interrupted"};

}  // namespace

std::string_view outcome_name(RunOutcome outcome) {
  return kOutcomes[static_cast<size_t>(outcome)];
}

std::optional<RunOutcome> parse_outcome(std::string_view name) {
  const auto found = std::ranges::find(kOutcomes, outcome_word(name));
  if (found == std::end(kOutcomes)) return std::nullopt;
  return static_cast<RunOutcome>(found - std::begin(kOutcomes));
}

std::string_view outcome_word(std::string_view word) {
  return word == "trained" ? outcome_name(RunOutcome::Finished) : word;
}

std::optional<double> unigram_share(double nll, double unigram_entropy) {
  return unigram_entropy > 0 ? std::optional(nll / unigram_entropy) : std::nullopt;
}

}  // namespace plumb
