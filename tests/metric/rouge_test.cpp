#include "plumb/metric/rouge.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "plumb/base/random_stream.h"

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

void expect_rouge(const Rouge& found, double one, double two, double l, double tolerance, const std::string& what) {
  EXPECT_NEAR(found.rouge1, one, tolerance) << what;
  EXPECT_NEAR(found.rouge2, two, tolerance) << what;
  EXPECT_NEAR(found.rouge_l, l, tolerance) << what;
}

TEST(RougeScore, OfEverySentenceAndTheCorpusIsTheGoldenOne) {
  for (const auto& one : golden_scores()["cases"]) {
    const Rouge found = rouge(one["hypothesis"].get<std::string>(), one["references"].get<Lines>());
    expect_rouge(found, one["rouge"][0], one["rouge"][1], one["rouge"][2], kTolerance, one["name"]);
  }
  const auto& mean = golden_scores()["corpus"]["rouge"];
  expect_rouge(corpus_rouge(golden_hypotheses(), golden_references()), mean[0], mean[1], mean[2], kTolerance, "corpus");
}

// rouge/rouge_scorer_test.py of google-research; the last two texts were scored by ROUGE-1.5.5, to five digits.
TEST(RougeScore, EqualsThePublishedNumbersOfRougeScoreAndPerlRouge) {
  expect_rouge(rouge("testing", Lines{"testing one two"}), 50, 0, 50, kTolerance, "one word");
  expect_rouge(rouge("testing one", Lines{"testing one two"}), 80, 200. / 3, 80, kTolerance, "two words");
  expect_rouge(rouge("testing two", Lines{"testing one two"}), 80, 0, 80, kTolerance, "not neighbours");
  expect_rouge(rouge("", Lines{"testing one two"}), 0, 0, 0, kTolerance, "empty");
  expect_rouge(rouge("/", Lines{"w1 w2 w3 w4 w5"}), 0, 0, 0, kTolerance, "no words");
  expect_rouge(
      rouge("rFDJCRtion Ht-LM EKtDXkME,yz'RBr q'wer wrojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxi",
            Lines{"ZfbCUIUuePaiLVUlCaUXxkpu XPeWing tUHfPMuZ',-Xd Y BrUgVJing M-HV.-DgdDaY.rFDJCRing Ht-LM EKBDXkME,yz'"
                  "RBr q'wtion wIojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxer tKM L"}),
      51.163, 39.024, 51.163, 1e-3, "pyrouge 0");
  expect_rouge(
      rouge(
          "n cw-WeFyu vC MoBL Xdn g wkvcEiGvKtion BDFhrpMer pstion sbKao Q m qier LMmed HqqLFXe,XPY,J XsurkMeo ,ed "
          "nB'wH"
          "'bWVHjWFEer tQ.saefZwJtKrTlixYpMMNJtion UCAPwNHeYVjD",
          Lines{"KsJdPByEtAor fE-Qg Dpdbring cw-WeFyu vC MoBL Xdn g wkvcEiGvKtion BDFhrpMtion psing sbKao Q m qiing "
                "LMmer "
                "HqqLFXe,XPY,J XsurkMer ,ed nB'wH'bWVHjWFEing tQ.saefZwJtKrTlixYpMMsJing UCAPwNHeYVjDing c T BUySKtion "
                "gMPfJpwGw p'NvxAoping eu pBwMBKV'I DNxqelhu,PHPxDEq,mtion SN"}),
      50.000, 36.364, 50.000, 1e-3, "pyrouge 1");
}

// rouge_scorer_test.py with use_stemmer=True, which is ROUGE-1.5.5 with -m.
TEST(RougeScore, OfStemsEqualsThePublishedNumbers) {
  const RougeOptions stems{.stem = true};
  expect_rouge(
      rouge("rFDJCRtion Ht-LM EKtDXkME,yz'RBr q'wer wrojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxi",
            Lines{"ZfbCUIUuePaiLVUlCaUXxkpu XPeWing tUHfPMuZ',-Xd Y BrUgVJing M-HV.-DgdDaY.rFDJCRing Ht-LM EKBDXkME,yz'"
                  "RBr q'wtion wIojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxer tKM L"},
            stems),
      51.163, 39.024, 51.163, 1e-3, "pyrouge 0");
  const Rouge one = rouge(
      "n cw-WeFyu vC MoBL Xdn g wkvcEiGvKtion BDFhrpMer pstion sbKao Q m qier LMmed HqqLFXe,XPY,J XsurkMeo ,ed "
      "nB'wH'bWVHjWFEer tQ.saefZwJtKrTlixYpMMNJtion UCAPwNHeYVjD",
      Lines{"KsJdPByEtAor fE-Qg Dpdbring cw-WeFyu vC MoBL Xdn g wkvcEiGvKtion BDFhrpMtion psing sbKao Q m qiing LMmer "
            "HqqLFXe,XPY,J XsurkMer ,ed nB'wH'bWVHjWFEing tQ.saefZwJtKrTlixYpMMsJing UCAPwNHeYVjDing c T BUySKtion "
            "gMPfJpwGw p'NvxAoping eu pBwMBKV'I DNxqelhu,PHPxDEq,mtion SN"},
      stems);
  EXPECT_NEAR(one.rouge1, 52.941, 1e-3);
  EXPECT_NEAR(one.rouge2, 36.364, 1e-3);
}

TEST(RougeScore, OfStemsIsTheGoldenOne) {
  const RougeOptions stems{.stem = true};
  for (const auto& one : golden_scores()["cases"]) {
    const Rouge found = rouge(one["hypothesis"].get<std::string>(), one["references"].get<Lines>(), stems);
    const auto& expected = one["rouge_stem"];
    expect_rouge(found, expected[0], expected[1], expected[2], kTolerance, one["name"]);
  }
  const auto& mean = golden_scores()["corpus"]["rouge_stem"];
  expect_rouge(corpus_rouge(golden_hypotheses(), golden_references(), stems), mean[0], mean[1], mean[2], kTolerance,
               "corpus");
}

TEST(RougeScore, StemsWordsOfMoreThanThreeLettersOnly) {
  const RougeOptions stems{.stem = true};
  EXPECT_NEAR(rouge("cats", Lines{"cat"}, stems).rouge1, 100, kTolerance);
  EXPECT_EQ(rouge("cats", Lines{"cat"}).rouge1, 0);
  EXPECT_EQ(rouge("was", Lines{"wa"}, stems).rouge1, 0);
}

/// F1 as the definition says it: precision and recall, with n-grams counted in a map and subsequences by recursion.
class SlowRouge {
 public:
  SlowRouge(const std::string& hypothesis, const std::string& reference)
      : ours_(words(hypothesis)), theirs_(words(reference)) {}

  double rouge_n(size_t n) const {
    std::map<Lines, int> in_ours = grams(ours_, n), in_theirs = grams(theirs_, n);
    int common = 0, our_total = 0, their_total = 0;
    for (const auto& [gram, count] : in_ours) common += std::min(count, in_theirs[gram]);
    for (const auto& [gram, count] : in_ours) our_total += count;
    for (const auto& [gram, count] : in_theirs) their_total += count;
    return f1(common, our_total, their_total);
  }
  double rouge_l() const {
    return f1(subsequence(0, 0), static_cast<int>(ours_.size()), static_cast<int>(theirs_.size()));
  }

 private:
  static Lines words(const std::string& text) {
    std::istringstream stream(text);
    Lines words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }
  static std::map<Lines, int> grams(const Lines& words, size_t n) {
    std::map<Lines, int> counts;
    for (size_t i = 0; i + n <= words.size(); ++i)
      ++counts[Lines(words.begin() + long(i), words.begin() + long(i + n))];
    return counts;
  }
  int subsequence(size_t i, size_t j) const {
    if (i == ours_.size() || j == theirs_.size()) return 0;
    if (ours_[i] == theirs_[j]) return 1 + subsequence(i + 1, j + 1);
    return std::max(subsequence(i + 1, j), subsequence(i, j + 1));
  }
  static double f1(int common, int ours, int theirs) {
    if (common == 0) return 0;
    const double precision = double(common) / ours, recall = double(common) / theirs;
    return 100 * 2 * precision * recall / (precision + recall);
  }

  Lines ours_, theirs_;
};

TEST(RougeScore, EqualsPlainCountsAndRecursionOnRandomTexts) {
  RandomStream random(1, "rouge");
  const auto text = [&] {
    std::string words;
    const uint64_t length = random.below(9);
    for (uint64_t i = 0; i < length; ++i) words += std::string(1, static_cast<char>('a' + random.below(4))) + ' ';
    return words;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string hypothesis = text(), reference = text();
    const SlowRouge slow(hypothesis, reference);
    expect_rouge(rouge(hypothesis, Lines{reference}), slow.rouge_n(1), slow.rouge_n(2), slow.rouge_l(), kTolerance,
                 hypothesis + "| " + reference);
  }
}

TEST(RougeScore, TakesTheBestReferenceForEachOfTheThree) {
  const Rouge found = rouge("a b c d", Lines{"d c b a", "a b"});
  // All four words of the first; the one bigram and the order of the second.
  expect_rouge(found, 100, 50, 200. / 3, kTolerance, "two references");
}

}  // namespace
}  // namespace plumb::test
