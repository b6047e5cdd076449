#include "plumb/metric/tokenize_13a.h"

#include <utility>

#include <fmt/format.h>

#include "plumb/base/unicode.h"

// mteval's rules are regular expressions over characters. All of their classes are ASCII or the complement of digits,
// so walking over bytes gives the same result: a rule looks at one neighbour only, and of a longer character that is
// its first or last byte.

namespace plumb {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_other(char c) {
  return !is_digit(c);
}
bool is_stop(char c) {
  return c == '.' || c == ',';
}
bool is_hyphen(char c) {
  return c == '-';
}

// Every ASCII symbol but ' , - and the full stop; the space is among them, which does no harm.
bool stands_alone(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

std::string space_symbols(std::string_view text) {
  std::string spaced;
  for (const char c : text) {
    if (stands_alone(c)) {
      spaced += {' ', c, ' '};
    } else {
      spaced += c;
    }
  }
  return spaced;
}

// Splits pairs of neighbours (a, b), from the left and without overlap as a global replacement does; the space goes
// before the pair or after it, on the side of the stop or hyphen.
enum class Side { Before, After };
std::string space_pairs(std::string_view text, bool (*is_a)(char), bool (*is_b)(char), Side side) {
  std::string spaced;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !is_a(text[i]) || !is_b(text[i + 1])) {
      spaced += text[i];
      continue;
    }
    if (side == Side::Before) spaced += ' ';
    spaced += {text[i], ' ', text[i + 1]};
    if (side == Side::After) spaced += ' ';
    ++i;
  }
  return spaced;
}

}  // namespace

std::string tokenize_13a(std::string_view line) {
  // In this order: "&amp;lt;" is unescaped twice, as in mteval.
  constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
      {"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};
  std::string text(line);
  for (const auto& [what, with] : kReplacements) replace_all(text, what, with);

  // The spaces around give the first and the last character a neighbour.
  text = space_symbols(fmt::format(" {} ", text));
  text = space_pairs(text, is_other, is_stop, Side::After);
  text = space_pairs(text, is_stop, is_other, Side::Before);
  text = space_pairs(text, is_digit, is_hyphen, Side::After);
  return fmt::format("{}", fmt::join(split_at_spaces(text), " "));
}

}  // namespace plumb
