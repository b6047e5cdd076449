#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/reproduce/rule_expression.h"

namespace plumb::reproduce {

/// A rule taken apart: sides and the signs between them, or one side and the set that it must lie in.
struct ParsedRule {
  std::vector<std::unique_ptr<RuleExpression>> sides;
  std::vector<std::string> signs;  // <, <=, =, >=, >
  std::vector<std::string> words;  // of `in {a, b}`
  std::vector<double> interval;    // of `in [low, high]`: two numbers
};

/// Throws RuleProblem.
ParsedRule parse_rule(const std::string& text);

}  // namespace plumb::reproduce
