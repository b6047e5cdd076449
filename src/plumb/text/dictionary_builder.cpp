#include "plumb/text/dictionary_builder.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/unicode.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/text/character_tokenizer.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/string_map.h"

namespace plumb {
namespace {

using Counts = StringMap<int64_t>;
using Entry = std::pair<std::string, int64_t>;

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpecialNames[] = {"<s>", "<pad>", "</s>", "<unk>"};

void count(Counts& counts, std::string_view token) {
  const auto found = counts.find(token);
  if (found == counts.end()) {
    counts.emplace(token, 1);
  } else {
    ++found->second;
  }
}

// `count_line` counts the tokens of one line.
template <class CountLine>
Counts count_texts(std::span<const std::string> texts, bool lower, const CountLine& count_line) {
  Counts counts;
  for (const std::string& path : texts) {
    LineReader reader(path);
    for (std::string line; reader.next(line);) count_line(counts, lower ? lowercase(line) : line);
  }
  for (const std::string_view name : kSpecialNames) {
    if (const auto found = counts.find(name); found != counts.end()) counts.erase(found);
  }
  return counts;
}

std::vector<Entry> most_frequent(const Counts& counts, const DictionaryOptions& options) {
  std::vector<Entry> entries;
  for (const auto& [token, times] : counts) {
    if (times >= options.min_count) entries.emplace_back(token, times);
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (options.size > 0) entries.resize(std::min(entries.size(), static_cast<size_t>(options.size - kSpecials)));
  return entries;
}

void check(std::span<const std::string> texts, const std::string& path, const DictionaryOptions& options) {
  if (texts.empty()) throw UserError(path, "there is no text to take a dictionary from", "Name one or more text files");
  if (options.size == 0 || options.size > kSpecials) return;
  throw UserError(path,
                  fmt::format("a dictionary of {} ids has room for the {} specials only", options.size, kSpecials),
                  "Ask for more, or for 0: everything");
}

int32_t write(const std::vector<Entry>& entries, std::span<const std::string> texts, const std::string& path,
              const DictionaryOptions& options) {
  if (entries.empty()) {
    throw UserError(fmt::format("{}", fmt::join(texts, ", ")),
                    options.min_count > 1 ? fmt::format("nothing in it occurs {} times", options.min_count)
                                          : "there is no text in it",
                    "Give more text, or a lower count");
  }
  if (entries.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max() - kSpecials)) {
    throw UserError(path, fmt::format("{} tokens are too many", entries.size()), "Limit the size");
  }
  std::string text;
  // Whoever reads the file takes one mark off its beginning: a token that begins with the same character needs a
  // second.
  if (entries.front().first.starts_with(kMark)) text = kMark;
  for (const auto& [token, times] : entries) text.append(token).append(fmt::format(" {}\n", times));
  write_whole(path, text);
  return static_cast<int32_t>(entries.size()) + kSpecials;
}

}  // namespace

int32_t build_dictionary(std::span<const std::string> texts, const std::string& path,
                         const DictionaryOptions& options) {
  check(texts, path, options);
  const Counts counts = count_texts(texts, options.lowercase, [](Counts& sum, const std::string& line) {
    for (const std::string_view word : split_at_spaces(line)) count(sum, word);
  });
  return write(most_frequent(counts, options), texts, path, options);
}

int32_t build_character_dictionary(std::span<const std::string> texts, const std::string& path,
                                   const DictionaryOptions& options) {
  check(texts, path, options);
  const Counts counts = count_texts(texts, options.lowercase, [](Counts& sum, const std::string& line) {
    for_each_character(line, [&](std::string_view character) { count(sum, token_of_character(character)); });
  });
  return write(most_frequent(counts, options), texts, path, options);
}

}  // namespace plumb
