#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/split.h"

namespace plumb {

/// A built-in task of summarisation: articles in rule-made English and their headlines, in lower case and with blanks
/// between all words and marks, as Gigaword has them.
///
///   "the bishop of turin plans to buy an old mill next month . according to local radio , the mayor of lund , who had
///    sold a small farm in may , opened a new bridge near the river after a long strike ."
///   "lund mayor opens new bridge after long strike"
///
/// An article tells one thing that happened: its one clause in the simple past, active ("opened") or passive ("was
/// opened by"). Everything else is in other tenses, by other people of other towns, and must be left out. The headline
/// puts the town before the one who acted, the verb into the present tense, a passive into the active, and drops
/// articles, places, times and sources. So every headline follows from its article, and an article cannot be copied.
struct HeadlinePairs {
  std::vector<std::string> articles;   // 30 to 60 words
  std::vector<std::string> headlines;  // 5 to 9 words
};

inline constexpr int64_t kShortestArticle = 30, kLongestArticle = 60;
inline constexpr int64_t kShortestHeadline = 5, kLongestHeadline = 9;

/// `count` articles of one split with different headlines, drawn from the stream (seed, split). The split of an article
/// is that of its headline.
HeadlinePairs headline_pairs(Split split, int64_t count, uint64_t seed);

}  // namespace plumb
