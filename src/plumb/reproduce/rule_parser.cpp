#include "plumb/reproduce/rule_parser.h"

#include <cctype>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace plumb::reproduce {
namespace {

constexpr char kExample[] = "A rule reads like mean(loss(pre_ln)) < mean(loss(post_ln))";

/// Recursive descent over the text. The arguments of something measured are taken as they are written, so that names
/// of arms may hold - / * and dots.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  ParsedRule rule() {
    ParsedRule parsed;
    parsed.sides.push_back(sum());
    if (takes_word("in")) {
      set(parsed);
    } else {
      for (std::string sign = comparison(); !sign.empty(); sign = comparison()) {
        parsed.signs.push_back(sign);
        parsed.sides.push_back(sum());
      }
      if (parsed.signs.empty()) fail("nothing is compared");
    }
    skip_blanks();
    if (!rest_.empty()) fail(fmt::format("'{}' is left over", rest_));
    return parsed;
  }

 private:
  using Part = std::unique_ptr<RuleExpression>;
  using Kind = RuleExpression::Kind;

  [[noreturn]] static void fail(const std::string& problem) { throw RuleProblem{problem, kExample}; }

  void skip_blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
  }

  bool takes(std::string_view mark) {
    skip_blanks();
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }

  bool takes_word(std::string_view word) {
    skip_blanks();
    const bool whole = rest_.starts_with(word) && rest_.size() > word.size() && !is_letter(rest_[word.size()]);
    if (whole) rest_.remove_prefix(word.size());
    return whole;
  }

  void expect(std::string_view mark) {
    if (!takes(mark)) fail(fmt::format("'{}' is missing before '{}'", mark, rest_));
  }

  static bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string comparison() {
    for (const char* sign : {"<=", ">=", "<", ">", "="}) {
      if (takes(sign)) return sign;
    }
    return "";
  }

  Part operation(const char* sign, Part left, Part right) {
    Part part = std::make_unique<RuleExpression>();
    part->kind = Kind::Operation;
    part->name = sign;
    part->parts.push_back(std::move(left));
    part->parts.push_back(std::move(right));
    return part;
  }

  Part sum() {
    Part left = product();
    for (;;) {
      if (takes("+")) {
        left = operation("+", std::move(left), product());
      } else if (takes("-")) {
        left = operation("-", std::move(left), product());
      } else {
        return left;
      }
    }
  }

  Part product() {
    Part left = factor();
    for (;;) {
      if (takes("*")) {
        left = operation("*", std::move(left), factor());
      } else if (takes("/")) {
        left = operation("/", std::move(left), factor());
      } else {
        return left;
      }
    }
  }

  Part factor() {
    if (++depth_ > kDeepest) fail("it is nested too deeply");
    Part part = unguarded_factor();
    --depth_;
    return part;
  }

  Part unguarded_factor() {
    if (takes("(")) {
      Part inside = sum();
      expect(")");
      return inside;
    }
    Part part = std::make_unique<RuleExpression>();
    if (takes("-")) {
      part->kind = Kind::Negation;
      part->parts.push_back(factor());
      return part;
    }
    skip_blanks();
    if (!rest_.empty() && (std::isdigit(static_cast<unsigned char>(rest_.front())) || rest_.front() == '.')) {
      part->number = number();
      return part;
    }
    part->name = word();
    expect("(");
    if (is_rule_function(part->name)) {
      part->kind = Kind::Function;
      do {
        part->parts.push_back(sum());
      } while (takes(","));
      if (part->parts.size() != (part->name == "at" ? 2u : 1u)) {
        fail(fmt::format("{} has {} arguments", part->name, part->parts.size()));
      }
    } else {
      part->kind = Kind::Measure;
      do {
        part->arguments.push_back(argument());
      } while (takes(","));
    }
    expect(")");
    return part;
  }

  double number() {
    skip_blanks();
    const bool negative = takes("-");
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail(fmt::format("a number is missing before '{}'", rest_));
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return negative ? -value : value;
  }

  std::string word() {
    skip_blanks();
    size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length])) ++length;
    if (length == 0) fail(rest_.empty() ? "it ends too early" : fmt::format("a name is missing before '{}'", rest_));
    std::string found(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return found;
  }

  std::string argument() {
    skip_blanks();
    const size_t end = rest_.find_first_of(",()");
    std::string_view found = rest_.substr(0, end);
    while (!found.empty() && found.back() == ' ') found.remove_suffix(1);
    if (found.empty()) fail("a name is missing");
    std::string name(found);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    return name;
  }

  void set(ParsedRule& parsed) {
    if (takes("[")) {
      parsed.interval.push_back(number());
      expect(",");
      parsed.interval.push_back(number());
      expect("]");
      return;
    }
    expect("{");
    do {
      parsed.words.push_back(word());
    } while (takes(","));
    expect("}");
  }

  static constexpr int kDeepest = 100;
  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

ParsedRule parse_rule(const std::string& text) {
  return Parser(text).rule();
}

}  // namespace plumb::reproduce
