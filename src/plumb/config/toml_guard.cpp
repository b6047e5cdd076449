#include "plumb/config/toml_guard.h"

#include <algorithm>

namespace plumb {
namespace {

// It frees a.b.c... by recursion, so that one line could exhaust the stack. No key of ours has two dots.
constexpr int kMostDots = 64;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool begins_key(char c) {
  return is_bare(c) || c == '"' || c == '\'';
}

/// A quote in the middle of a value without quotes belongs to it: the parser reads on to where that value ends.
bool continues_value(char c) {
  return is_bare(c) || c == '+';
}

/// Goes over a text as TOML parts it: comments, strings, lines, brackets. What is not TOML at all ends somewhere, too:
/// the parser complains about it before it gets there.
class TomlScan {
 public:
  explicit TomlScan(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  std::optional<TomlProblem> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if ((c == '"' || c == '\'') && !(at_ > 0 && continues_value(text_[at_ - 1]))) {
        skip_string(c);
      } else if (static_cast<unsigned char>(c) >= 0x80) {
        return TomlProblem{line_, "a character that is not ASCII stands outside quotes", "Write it in \"quotes\""};
      } else if (c == '[' && depth_ == 0 && line_is_blank_) {
        if (!header_has_key()) return TomlProblem{line_, "there is no name behind [", "Write [section]"};
        open_bracket();
      } else {
        step(c);
      }
      if (dots_ > kMostDots) {
        return TomlProblem{line_, "a line has more than 64 dots", "A key has at most one: model.heads"};
      }
    }
    return std::nullopt;
  }

 private:
  void step(char c) {
    if (c == '\n') return end_line();
    if (c == '[' || c == '{') return open_bracket();
    if (c == ']' || c == '}') depth_ = std::max(0, depth_ - 1);
    if (c == '.') ++dots_;
    if (c != ' ' && c != '\t') line_is_blank_ = false;
    ++at_;
  }

  void open_bracket() {
    ++depth_;
    line_is_blank_ = false;
    ++at_;
  }

  void end_line() {
    ++line_;
    ++at_;
    dots_ = 0;
    line_is_blank_ = true;
  }

  /// Whether a name follows `[` or `[[`. The parser itself complains about `[]`, and about the end of the text.
  bool header_has_key() const {
    size_t next = at_ + (text_.substr(at_).starts_with("[[") ? 2 : 1);
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t')) ++next;
    if (next == text_.size() || text_[next] == ']' || begins_key(text_[next])) return true;
    return static_cast<unsigned char>(text_[next]) >= 0x80;  // which is told of as such
  }

  void skip_string(char quote) {
    line_is_blank_ = false;
    const bool several_lines = text_.substr(at_).starts_with(std::string(3, quote));
    at_ += several_lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !several_lines) return;
      if (c == quote && (!several_lines || text_.substr(at_).starts_with(std::string(3, quote)))) {
        at_ += several_lines ? 3 : 1;
        return;
      }
      if (c == '\n') ++line_;
      at_ += c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  int depth_ = 0, dots_ = 0;
  bool line_is_blank_ = true;  // so far
};

}  // namespace

std::optional<TomlProblem> beyond_toml_parser(std::string_view text) {
  return TomlScan(text).run();
}

}  // namespace plumb
