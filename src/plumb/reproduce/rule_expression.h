#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/reproduce/measurements.h"

namespace plumb::reproduce {

/// What is wrong with a rule, before it is known which file it stands in.
struct RuleProblem {
  std::string problem, remedy;
};

/// Numbers, or the outcomes of runs. A single number is a list of one; a curve has the places of its numbers too.
struct RuleValue {
  std::vector<double> numbers = {};
  std::vector<double> at = {};
  std::vector<std::string> words = {};

  bool is_words() const { return !words.empty(); }
};

/// One part of a rule's expression: a number, an operation on other parts, or something measured.
struct RuleExpression {
  enum class Kind { Number, Negation, Operation, Function, Measure };
  Kind kind = Kind::Number;
  double number = 0;
  std::string name = {};                                    // +, mean, loss, ...
  std::vector<std::unique_ptr<RuleExpression>> parts = {};  // of operations and functions
  std::vector<std::string> arguments = {};                  // of a measure, as they are written

  RuleValue value(const Measurements& measured) const;
};

/// Whether the name takes expressions (mean, abs, ...); every other name is something measured.
bool is_rule_function(const std::string& name);

/// The one number of a list of one.
double single_number(const RuleValue& value, const std::string& of);

}  // namespace plumb::reproduce
