#include "plumb/data/headline.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool any_of(const std::string& word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

/// The headline once more, read off the article as a reader would: find the clause in the simple past, and tell it in
/// the present. Knows English verbs and nothing of how articles are made.
class Reader {
 public:
  explicit Reader(const std::string& article) : words_(words_of(article)) {}

  /// Where clauses in the simple past have their verb; "and" joins a second verb to the first.
  std::vector<size_t> main_verbs() const {
    std::vector<size_t> found;
    for (size_t i = 1; i < words_.size(); ++i) {
      if (present_of(words_[i]).empty() || any_of(words_[i - 1], {"had", "been", "yet", "to", "will", "and"})) continue;
      found.push_back(i);
    }
    return found;
  }

  std::string headline() const {
    const size_t verb = main_verbs().at(0);
    const bool passive = any_of(at(verb - 1), {"was", "were"});
    return passive ? from_passive(verb) : from_active(verb);
  }

 private:
  static std::string present_of(const std::string& past_or_participle) {
    static const std::map<std::string, std::string> kIrregular = {
        {"bought", "buys"},       {"sold", "sells"},    {"built", "builds"},   {"chose", "chooses"},
        {"chosen", "chooses"},    {"drew", "draws"},    {"drawn", "draws"},    {"shown", "shows"},
        {"found", "finds"},       {"lost", "loses"},    {"stole", "steals"},   {"stolen", "steals"},
        {"hid", "hides"},         {"hidden", "hides"},  {"kept", "keeps"},     {"forgot", "forgets"},
        {"forgotten", "forgets"}, {"took", "takes"},    {"taken", "takes"},    {"gave", "gives"},
        {"given", "gives"},       {"copied", "copies"}, {"studied", "studies"}};
    static const std::set<std::string> kSilentE = {"close",   "praise", "move",     "restore",
                                                   "promise", "insure", "describe", "measure"};
    if (const auto found = kIrregular.find(past_or_participle); found != kIrregular.end()) return found->second;
    if (!past_or_participle.ends_with("ed") || any_of(past_or_participle, {"red"})) return "";
    const std::string without_d = past_or_participle.substr(0, past_or_participle.size() - 1);
    return kSilentE.contains(without_d) ? without_d + "s" : without_d.substr(0, without_d.size() - 1) + "s";
  }

  const std::string& at(size_t i) const { return words_.at(i); }

  std::string thing_at(size_t first) const {  // "a new bridge", "three new bridges"
    const bool counted = !any_of(at(first), {"a", "an", "the"});
    return (counted ? at(first) + " " : "") + at(first + 1) + " " + at(first + 2);
  }

  std::string actor_until(size_t last) const {  // "the mayor of lund"
    EXPECT_EQ(at(last - 1), "of");
    EXPECT_EQ(at(last - 3), "the");
    return at(last) + " " + at(last - 2);
  }

  size_t skip_place(size_t i) const { return any_of(at(i), {"near", "behind", "opposite"}) ? i + 3 : i; }

  size_t skip_relative(size_t i) const {  // ", who had sold a farm in may ,"
    if (at(i) != "," || at(i + 1) != "who") return i;
    for (i += 2; !any_of(at(i), {",", "."}); ++i) {
    }
    return at(i) == "," && at(i + 1) != "a" ? i + 1 : i;
  }

  std::string tail_at(size_t i) const {
    if (at(i) == "to") return " to " + actor_until(i + 4);
    if (at(i) == "after") return " after " + at(i + 2) + " " + at(i + 3);
    if (at(i) == "and") return " , " + present_of(at(i + 1)) + " " + thing_at(i + 2);
    return "";
  }

  std::string from_active(size_t verb) const {
    size_t subject = verb - 1;
    if (at(subject) == ",") {
      while (at(subject) != "who") --subject;
      subject -= 2;
    }
    return actor_until(subject) + " " + present_of(at(verb)) + " " + thing_at(verb + 1) + tail_at(skip_place(verb + 4));
  }

  std::string from_passive(size_t verb) const {
    EXPECT_EQ(at(verb + 1), "by");
    const bool placed = any_of(at(verb - 4), {"near", "behind", "opposite"});
    return actor_until(verb + 5) + " " + present_of(at(verb)) + " " + thing_at(placed ? verb - 7 : verb - 4) +
           tail_at(skip_relative(verb + 6));
  }

  Words words_;
};

TEST(Headline, IsWhatAReaderOfTheArticleWouldWrite) {
  for (const Split split : {Split::Train, Split::Valid, Split::Test}) {
    const HeadlinePairs pairs = headline_pairs(split, 2000, 1);
    ASSERT_EQ(pairs.articles.size(), 2000u);
    for (size_t i = 0; i < pairs.articles.size(); ++i) {
      const Reader reader(pairs.articles[i]);
      ASSERT_EQ(reader.main_verbs().size(), 1u) << pairs.articles[i];
      ASSERT_EQ(reader.headline(), pairs.headlines[i]) << pairs.articles[i];
    }
  }
}

TEST(Headline, AndArticleHaveTheStatedLengths) {
  const HeadlinePairs pairs = headline_pairs(Split::Train, 3000, 2);
  std::map<size_t, int> lengths;
  for (const std::string& article : pairs.articles) {
    const auto length = std::ssize(words_of(article));
    EXPECT_TRUE(length >= 30 && length <= 60) << length << ": " << article;
  }
  for (const std::string& headline : pairs.headlines) ++lengths[words_of(headline).size()];
  EXPECT_GE(lengths.begin()->first, 5u);
  EXPECT_LE(lengths.rbegin()->first, 9u);
  EXPECT_GE(lengths.size(), 4u) << "5, 6, 8 and 9 words";
  for (const auto& [length, times] : lengths) EXPECT_GT(times, 30) << length;
}

std::set<std::string> headline_vocabulary(const HeadlinePairs& pairs) {
  std::set<std::string> vocabulary;
  for (const auto* texts : {&pairs.articles, &pairs.headlines}) {
    for (const std::string& text : *texts) {
      for (const std::string& word : words_of(text)) vocabulary.insert(word);
    }
  }
  return vocabulary;
}

TEST(Headline, HasAVocabularyOfSomeHundredWordsAndTrainingShowsThemAll) {
  const std::set<std::string> train = headline_vocabulary(headline_pairs(Split::Train, 5000, 1));
  EXPECT_GT(train.size(), 300u);
  EXPECT_LT(train.size(), 500u);
  for (const Split split : {Split::Valid, Split::Test}) {
    for (const std::string& word : headline_vocabulary(headline_pairs(split, 1000, 1)))
      EXPECT_TRUE(train.contains(word)) << word;
  }
}

TEST(Headline, OfOneSplitIsNeverInAnother) {
  std::set<std::string> all;
  size_t count = 0;
  for (const Split split : {Split::Train, Split::Valid, Split::Test}) {
    for (const std::string& headline : headline_pairs(split, 2000, 1).headlines) {
      EXPECT_EQ(split_of(headline), split);
      all.insert(headline);
      ++count;
    }
  }
  EXPECT_EQ(all.size(), count);
  for (const std::string& headline : headline_pairs(Split::Test, 500, 2).headlines) {
    EXPECT_EQ(split_of(headline), Split::Test) << "a headline belongs to its split for good";
  }
}

TEST(Headline, DependsOnTheSeedAndNothingElse) {
  const HeadlinePairs one = headline_pairs(Split::Train, 50, 1), again = headline_pairs(Split::Train, 50, 1);
  EXPECT_EQ(one.articles, again.articles);
  EXPECT_EQ(one.headlines, again.headlines);
  EXPECT_NE(one.headlines, headline_pairs(Split::Train, 50, 2).headlines);
  const HeadlinePairs more = headline_pairs(Split::Train, 100, 1);
  EXPECT_TRUE(std::equal(one.articles.begin(), one.articles.end(), more.articles.begin())) << "more adds to the end";
}

// What a system gets that copies: the first words of the article, or the words before its first stop.
TEST(Headline, IsNotToBeHadByCopying) {
  const HeadlinePairs pairs = headline_pairs(Split::Valid, 1000, 1);
  int verbatim = 0, first_town = 0;
  for (size_t i = 0; i < pairs.articles.size(); ++i) {
    verbatim += pairs.articles[i].find(pairs.headlines[i]) != std::string::npos;
    const Words article = words_of(pairs.articles[i]);
    const auto of = std::ranges::find(article, "of");
    first_town += of != article.end() && *(of + 1) == words_of(pairs.headlines[i]).front();
  }
  EXPECT_EQ(verbatim, 0);
  EXPECT_LT(first_town, 600) << "whoever is named first is often not the one";
}

TEST(Headline, RefusesMoreThanItCanTellApart) {
  EXPECT_THROW(headline_pairs(Split::Train, 1'000'001, 1), UserError);
  EXPECT_TRUE(headline_pairs(Split::Train, 0, 1).articles.empty());
}

}  // namespace
}  // namespace plumb
