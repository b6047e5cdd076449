#pragma once

#include <string>
#include <vector>

#include "plumb/reproduce/rule_expression.h"

namespace plumb::reproduce {

/// A run has learnt something if its best validation loss is below this share of the target's unigram entropy: it
/// knows more than how often a token occurs. The same as in docs/results/verdict.md.
constexpr double kLearnedBelow = 0.7;

/// What a rule can look up: outcome(arm), runs(arm), finished(arm), failed(arm), learned(arm), updates_to(arm, loss),
/// loss_at(arm, update), test(arm, metric), curve(of, probe.number, label=value...), and any number of a run by its
/// name: loss(arm). Throws RuleProblem if it was not measured.
RuleValue measure(const std::string& name, const std::vector<std::string>& arguments, const Measurements& measured);

}  // namespace plumb::reproduce
