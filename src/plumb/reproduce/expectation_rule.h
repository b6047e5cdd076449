#pragma once

#include <string>
#include <vector>

#include "plumb/reproduce/measurements.h"
#include "plumb/reproduce/rule_parser.h"

namespace plumb::reproduce {

/// What a rule found: whether it holds, and what it compared, for people: "3.22 > 0.55", "stuck, stuck, diverged".
struct RuleFinding {
  bool held = false;
  std::string shown;
};

/// A checkable statement about runs and probes, one line of an entry:
///
///     outcome(post_ln-w0) in {stuck, diverged}                       every run of the arm
///     mean(loss(pre_ln)) < mean(loss(b2t)) < mean(loss(post_ln))     a chain
///     learned(post_ln-*) = 0                                         * stands for any letters of an arm's name
///     curve(post_ln, dependency.exponent, stack=encoder) in [-0.2, 0.2]
///
/// docs/reproduce.md explains every word. Numbers that are not finite are results: a diverged run has the loss
/// infinity, and a comparison with NaN does not hold.
class ExpectationRule {
 public:
  /// Throws UserError, which blames `where`, if the text is no rule.
  ExpectationRule(std::string text, std::string where);

  const std::string& text() const { return text_; }

  /// Throws UserError if the measurements lack what the rule speaks of: a misspelt arm must not become a verdict.
  RuleFinding judge(const Measurements& measured) const;

 private:
  std::string text_, where_;
  ParsedRule parsed_;
};

}  // namespace plumb::reproduce
