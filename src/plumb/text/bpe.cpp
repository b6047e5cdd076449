#include "plumb/text/bpe.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/text/dictionary.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/utf8.h"

namespace plumb {
namespace {

constexpr std::string_view kJoiner = "@@";
constexpr std::string_view kEndOfWord = "</w>";
constexpr std::string_view kHeader = "#version:";
constexpr size_t kMostKnown = size_t{1} << 17;
constexpr size_t kLongestKnown = 256;
constexpr int32_t kNone = -1;

std::string_view trim(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \r");
  return begin == std::string_view::npos ? "" : line.substr(begin, line.find_last_not_of(" \r") - begin + 1);
}

}  // namespace

// A place in the word: which symbol stands there, its bytes, and its neighbours. A symbol that has been merged away
// has no bytes and no number.
struct Bpe::Symbol {
  int32_t number;
  size_t begin, end;
  int32_t before, after;
};

Bpe::Bpe(const std::string& codes) {
  LineReader reader(codes);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::string line; reader.next(line);) {
    const std::string where = fmt::format("{}:{}", codes, reader.findings().lines);
    if (reader.findings().lines == 1 && line.starts_with(kHeader)) {
      const std::string_view version = trim(std::string_view(line).substr(kHeader.size()));
      if (version != "0.1" && version != "0.2") {
        throw UserError(where, fmt::format("version {} of the codes is not known", version), "Use 0.1 or 0.2");
      }
      mark_apart_ = version == "0.1";
      continue;
    }
    const std::string_view merge = trim(line);
    if (merge.empty()) continue;
    const size_t space = merge.find(' ');
    if (space == std::string_view::npos || merge.find(' ', space + 1) != std::string_view::npos) {
      throw UserError(where, fmt::format("'{}' is not a merge", merge), "A line of the codes reads: left right");
    }
    pairs.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  if (pairs.empty()) throw UserError(codes, "there is no merge in it", "Give the codes of subword-nmt learn-bpe");
  // From the last to the first, so that of two merges that are equal, or make the same symbol, the first stays.
  auto rank = static_cast<int32_t>(pairs.size());
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) add_merge(pair->first, pair->second, --rank);
}

void Bpe::add_merge(std::string_view left, std::string_view right, int32_t rank) {
  Parts parts{std::string(left), std::string(right)};
  const std::string result = parts.left + parts.right;
  const int32_t l = number_of(parts.left), r = number_of(parts.right);
  const uint64_t key = static_cast<uint64_t>(l) << 32 | static_cast<uint32_t>(r);
  const auto [place, is_new] = merges_.try_emplace(key, Merge{rank, number_of(result)});
  place->second.rank = rank;
  if (is_new) parts_[result] = std::move(parts);
}

int32_t Bpe::number_of(const std::string& symbol) {
  return symbols_.try_emplace(symbol, static_cast<int32_t>(symbols_.size())).first->second;
}

int32_t Bpe::find(std::string_view symbol) const {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? kNone : found->second;
}

const Bpe::Merge* Bpe::find_merge(int32_t left, int32_t right) const {
  if (left == kNone || right == kNone) return nullptr;
  const auto found = merges_.find(static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right));
  return found == merges_.end() ? nullptr : &found->second;
}

void Bpe::restrict_to(const std::string& vocabulary, int64_t threshold) {
  LineReader reader(vocabulary);
  vocabulary_.emplace();
  for (std::string line; reader.next(line);) {
    std::string_view token;
    int64_t count = 0;
    if (!split_count(trim(line), token, count)) {
      throw UserError(fmt::format("{}:{}", vocabulary, reader.findings().lines),
                      fmt::format("'{}' is not a token and its count", line),
                      "Give the output of subword-nmt get-vocab");
    }
    if (count >= threshold) vocabulary_->emplace(token);
  }
  if (vocabulary_->empty()) {
    throw UserError(vocabulary, fmt::format("no token occurs {} times", threshold), "Lower the threshold");
  }
  const std::lock_guard lock(mutex_);
  known_.clear();
}

std::vector<Bpe::Symbol> Bpe::characters(std::string_view word) const {
  std::vector<Symbol> symbols;
  for (size_t at = 0; at < word.size();) {
    const size_t length = code_point_length(word, at);
    std::string name(word.substr(at, length));
    if (!mark_apart_ && at + length == word.size()) name += kEndOfWord;
    const auto index = static_cast<int32_t>(symbols.size());
    symbols.push_back({find(name), at, at + length, index - 1, index + 1});
    at += length;
  }
  if (mark_apart_) {
    const auto index = static_cast<int32_t>(symbols.size());
    symbols.push_back({find(kEndOfWord), word.size(), word.size(), index - 1, index + 1});
  }
  symbols.back().after = kNone;
  return symbols;
}

// A queue instead of the search over all pairs, so that a word of a million characters takes seconds, not days. The
// merges of one rank are one round: pairs that a round makes wait for its end, as they do in subword-nmt.
std::vector<std::string> Bpe::merge(std::string_view word) const {
  struct Candidate {
    int32_t rank, left, right, left_number, right_number, result;
    bool operator>(const Candidate& other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
  };
  std::vector<Symbol> symbols = characters(word);
  std::vector<Candidate> made;
  const auto consider = [&](int32_t left) {
    if (left == kNone || symbols[left].after == kNone) return;
    const Symbol &a = symbols[left], &b = symbols[a.after];
    if (const Merge* merge = find_merge(a.number, b.number)) {
      made.push_back({merge->rank, left, a.after, a.number, b.number, merge->result});
    }
  };
  for (int32_t i = 0; i < static_cast<int32_t>(symbols.size()); ++i) consider(i);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue(std::greater<>(), std::move(made));

  while (!queue.empty()) {
    const int32_t rank = queue.top().rank;
    made.clear();
    for (; !queue.empty() && queue.top().rank == rank; queue.pop()) {
      const Candidate& next = queue.top();
      Symbol &a = symbols[next.left], &b = symbols[next.right];
      const bool still = a.number == next.left_number && b.number == next.right_number && a.after == next.right;
      if (!still) continue;
      a = {next.result, a.begin, b.end, a.before, b.after};
      b.number = kNone;
      b.begin = b.end;
      if (a.after != kNone) symbols[a.after].before = next.left;
      consider(a.before);
      consider(next.left);
    }
    for (const Candidate& candidate : made) queue.push(candidate);
  }

  std::vector<std::string> pieces;
  for (int32_t i = 0; i != kNone; i = symbols[i].after) {
    if (symbols[i].end > symbols[i].begin) {  // the mark of version 0.1 is not shown
      pieces.emplace_back(word.substr(symbols[i].begin, symbols[i].end - symbols[i].begin));
    }
  }
  return pieces;
}

void Bpe::split_unknown(std::vector<std::string>& pieces) const {
  struct Part {
    std::string text;
    bool last;
  };
  std::vector<Part> waiting;  // a stack: what comes first in the word is on top
  for (size_t i = pieces.size(); i-- > 0;) waiting.push_back({std::move(pieces[i]), waiting.empty()});
  pieces.clear();
  while (!waiting.empty()) {
    Part part = std::move(waiting.back());
    waiting.pop_back();
    if (part.text.empty()) continue;  // the mark of version 0.1
    const bool known = vocabulary_->contains(part.last ? part.text : part.text + std::string(kJoiner));
    const auto found = known ? parts_.end() : parts_.find(part.last ? part.text + std::string(kEndOfWord) : part.text);
    if (found == parts_.end() || (part.last && !found->second.right.ends_with(kEndOfWord))) {
      pieces.push_back(std::move(part.text));
      continue;
    }
    std::string right = found->second.right;
    if (part.last) right.resize(right.size() - kEndOfWord.size());
    waiting.push_back({std::move(right), part.last});
    waiting.push_back({found->second.left, false});
  }
}

std::vector<std::string> Bpe::segment(std::string_view word) const {
  if (word.empty()) return {};
  if (code_point_length(word, 0) == word.size()) return {std::string(word)};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(word); found != known_.end()) return found->second;
  }
  std::vector<std::string> pieces = merge(word);
  if (vocabulary_) split_unknown(pieces);
  for (size_t i = 0; i + 1 < pieces.size(); ++i) pieces[i] += kJoiner;
  if (word.size() <= kLongestKnown) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMostKnown) known_.clear();
    known_.emplace(word, pieces);
  }
  return pieces;
}

}  // namespace plumb
