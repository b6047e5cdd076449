#include "plumb/metric/rouge.h"

#include <gtest/gtest.h>

#include "metric/support/golden.h"

namespace plumb::testing {
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

TEST(RougeScore, TakesTheBestReferenceForEachOfTheThree) {
  const Rouge found = rouge("a b c d", Lines{"d c b a", "a b"});
  // All four words of the first; the one bigram and the order of the second.
  expect_rouge(found, 100, 50, 200. / 3, kTolerance, "two references");
}

}  // namespace
}  // namespace plumb::testing
