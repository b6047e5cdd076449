#include "plumb/reproduce/expectation_rule.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/base/error.h"
#include "plumb/runs/outcome.h"

namespace plumb::reproduce {
namespace {

bool holds(double left, const std::string& sign, double right) {
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  if (sign == ">=") return left >= right;
  return left == right;
}

RuleFinding words_in(const RuleValue& value, const std::vector<std::string>& words) {
  if (!value.is_words()) throw RuleProblem{"numbers cannot be one of some words", "Use `in [low, high]`"};
  const bool all = std::ranges::all_of(value.words, [&](const std::string& word) {
    return std::ranges::find(words, word, outcome_word) != words.end();
  });
  return {all, fmt::format("{}", fmt::join(value.words, ", "))};
}

RuleFinding judge_parsed(const ParsedRule& rule, const Measurements& measured) {
  if (!rule.words.empty()) return words_in(rule.sides[0]->value(measured), rule.words);
  std::vector<double> numbers;
  for (const auto& side : rule.sides) numbers.push_back(single_number(side->value(measured), "a comparison"));
  if (!rule.interval.empty()) {
    const bool inside = rule.interval[0] <= numbers[0] && numbers[0] <= rule.interval[1];
    return {inside, fmt::format("{:.4g}", numbers[0])};
  }
  RuleFinding found{true, fmt::format("{:.4g}", numbers[0])};
  for (size_t i = 0; i < rule.signs.size(); ++i) {
    const bool step = holds(numbers[i], rule.signs[i], numbers[i + 1]);
    found.held = found.held && step;
    // Where the step fails, the sign must not claim that it held.
    found.shown += fmt::format(" {}{} {:.4g}", step ? "" : "not ", rule.signs[i], numbers[i + 1]);
  }
  return found;
}

}  // namespace

ExpectationRule::ExpectationRule(std::string text, std::string where)
    : text_(std::move(text)), where_(std::move(where)) {
  try {
    parsed_ = parse_rule(text_);
  } catch (const RuleProblem& problem) {
    throw UserError(where_, fmt::format("'{}' is not a rule: {}", text_, problem.problem), problem.remedy);
  }
}

RuleFinding ExpectationRule::judge(const Measurements& measured) const {
  try {
    return judge_parsed(parsed_, measured);
  } catch (const RuleProblem& problem) {
    throw UserError(where_, fmt::format("'{}' cannot be judged: {}", text_, problem.problem), problem.remedy);
  }
}

}  // namespace plumb::reproduce
