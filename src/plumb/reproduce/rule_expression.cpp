#include "plumb/reproduce/rule_expression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/reproduce/rule_measures.h"

namespace plumb::reproduce {
namespace {

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double deviation_of(const std::vector<double>& numbers) {
  if (numbers.size() < 2) throw RuleProblem{"a standard deviation needs two numbers", "Give the arm more seeds"};
  const double mean = mean_of(numbers);
  double sum = 0;
  for (double x : numbers) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(numbers.size() - 1));
}

// Least squares of ln y by ln x.
double slope_of(const RuleValue& curve) {
  if (curve.at.size() < 2) throw RuleProblem{"slope needs a curve of two places or more", "Use it on curve(...)"};
  std::vector<double> x, y;
  for (double place : curve.at) x.push_back(std::log(place));
  for (double value : curve.numbers) y.push_back(std::log(value));
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  double above = 0, below = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    above += (x[i] - mean_x) * (y[i] - mean_y);
    below += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return above / below;
}

double number_at(const RuleValue& curve, double place) {
  const auto found = std::ranges::find(curve.at, place);
  if (found != curve.at.end()) return curve.numbers[static_cast<size_t>(found - curve.at.begin())];
  throw RuleProblem{fmt::format("the curve has no place {}", place),
                    curve.at.empty() ? "Use at() on a curve" : fmt::format("It has {}", fmt::join(curve.at, ", "))};
}

double reduced(const std::string& name, const RuleValue& list) {
  const std::vector<double>& numbers = list.numbers;
  if (name == "count") return static_cast<double>(std::max(numbers.size(), list.words.size()));
  if (list.is_words() || numbers.empty()) throw RuleProblem{name + " wants numbers", "Outcomes can be compared only"};
  // min and max would pass over what is not a number.
  for (const double x : numbers) {
    if (std::isnan(x)) return x;
  }
  if (name == "mean") return mean_of(numbers);
  if (name == "sd") return deviation_of(numbers);
  if (name == "min") return *std::ranges::min_element(numbers);
  if (name == "max") return *std::ranges::max_element(numbers);
  if (name == "first") return numbers.front();
  if (name == "last") return numbers.back();
  if (name == "slope") return slope_of(list);
  const double x = single_number(list, name);
  if (name == "abs") return std::abs(x);
  return name == "ln" ? std::log(x) : std::log10(x);
}

double operated(const std::string& sign, double a, double b) {
  switch (sign[0]) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return a / b;
  }
}

}  // namespace

bool is_rule_function(const std::string& name) {
  static const std::set<std::string> kNames = {"mean",  "sd",    "min", "max", "first", "last",
                                               "slope", "count", "abs", "ln",  "log10", "at"};
  return kNames.contains(name);
}

double single_number(const RuleValue& value, const std::string& of) {
  if (!value.is_words() && value.numbers.size() == 1) return value.numbers.front();
  throw RuleProblem{fmt::format("{} wants one number, not {}", of,
                                value.is_words() ? "outcomes" : fmt::format("{} of them", value.numbers.size())),
                    "Say which: mean(...), max(...), first(...)"};
}

RuleValue RuleExpression::value(const Measurements& measured) const {
  const auto part = [&](size_t i) { return parts[i]->value(measured); };
  switch (kind) {
    case Kind::Number:
      return {.numbers = {number}};
    case Kind::Negation:
      return {.numbers = {-single_number(part(0), "-")}};
    case Kind::Operation:
      return {.numbers = {operated(name, single_number(part(0), name), single_number(part(1), name))}};
    case Kind::Function:
      if (name == "at") return {.numbers = {number_at(part(0), single_number(part(1), name))}};
      return {.numbers = {reduced(name, part(0))}};
    case Kind::Measure:
      return measure(name, arguments, measured);
  }
  return {};
}

}  // namespace plumb::reproduce
