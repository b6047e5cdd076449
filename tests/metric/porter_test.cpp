#include "plumb/metric/porter.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

using Stems = std::vector<std::pair<std::string, std::string>>;

void expect_stems(const Stems& stems) {
  for (const auto& [word, stem] : stems) EXPECT_EQ(porter_stem(word), stem) << word;
}

// The examples of the paper, step by step. They show what a step makes of them; here they have gone through all steps,
// as in the sample output that Porter published with his program.
TEST(PorterStem, OfTheExamplesInThePaperIsThePublishedOne) {
  expect_stems({{"caresses", "caress"},
                {"ponies", "poni"},
                {"ties", "tie"},
                {"caress", "caress"},
                {"cats", "cat"},
                {"feed", "feed"},
                {"agreed", "agre"},
                {"plastered", "plaster"},
                {"bled", "bled"},
                {"motoring", "motor"},
                {"sing", "sing"},
                {"conflated", "conflat"},
                {"troubled", "troubl"},
                {"sized", "size"},
                {"hopping", "hop"},
                {"tanned", "tan"},
                {"falling", "fall"},
                {"hissing", "hiss"},
                {"fizzed", "fizz"},
                {"failing", "fail"},
                {"filing", "file"},
                {"happy", "happi"},
                {"relational", "relat"},
                {"conditional", "condit"},
                {"rational", "ration"},
                {"valenci", "valenc"},
                {"hesitanci", "hesit"},
                {"digitizer", "digit"},
                {"conformabli", "conform"},
                {"radicalli", "radic"},
                {"differentli", "differ"},
                {"vileli", "vile"},
                {"analogousli", "analog"},
                {"vietnamization", "vietnam"},
                {"predication", "predic"},
                {"operator", "oper"},
                {"feudalism", "feudal"},
                {"decisiveness", "decis"},
                {"hopefulness", "hope"},
                {"callousness", "callous"},
                {"formaliti", "formal"},
                {"sensitiviti", "sensit"},
                {"sensibiliti", "sensibl"},
                {"triplicate", "triplic"},
                {"formative", "form"},
                {"formalize", "formal"},
                {"electriciti", "electr"},
                {"electrical", "electr"},
                {"hopeful", "hope"},
                {"goodness", "good"},
                {"revival", "reviv"},
                {"allowance", "allow"},
                {"inference", "infer"},
                {"airliner", "airlin"},
                {"gyroscopic", "gyroscop"},
                {"adjustable", "adjust"},
                {"defensible", "defens"},
                {"irritant", "irrit"},
                {"replacement", "replac"},
                {"adjustment", "adjust"},
                {"dependent", "depend"},
                {"adoption", "adopt"},
                {"homologou", "homolog"},
                {"communism", "commun"},
                {"activate", "activ"},
                {"angulariti", "angular"},
                {"homologous", "homolog"},
                {"effective", "effect"},
                {"bowdlerize", "bowdler"},
                {"probate", "probat"},
                {"rate", "rate"},
                {"cease", "ceas"},
                {"controll", "control"},
                {"roll", "roll"}});
}

// NLTK's documentation (howto/stem), and where its stemmer differs from the paper.
TEST(PorterStem, FollowsTheChangesOfNltk) {
  expect_stems({{"flies", "fli"},
                {"dies", "die"},
                {"mules", "mule"},
                {"denied", "deni"},
                {"died", "die"},
                {"owned", "own"},
                {"humbled", "humbl"},
                {"meeting", "meet"},
                {"stating", "state"},
                {"siezing", "siez"},
                {"itemization", "item"},
                {"sensational", "sensat"},
                {"traditional", "tradit"},
                {"reference", "refer"},
                {"colonizer", "colon"},
                {"plotted", "plot"}});
  expect_stems({{"sky", "sky"},
                {"skies", "sky"},
                {"dying", "die"},
                {"lying", "lie"},
                {"tying", "tie"},
                {"news", "news"},
                {"innings", "inning"},
                {"outing", "outing"},
                {"cannings", "canning"},
                {"howe", "howe"},
                {"proceed", "proceed"},
                {"succeed", "succeed"}});
  expect_stems({{"enjoy", "enjoy"},
                {"fly", "fli"},
                {"say", "say"},
                {"by", "by"},
                {"geology", "geolog"},
                {"rationally", "ration"},
                {"use", "use"},
                {"oed", "o"}});
}

// A second stemmer, written from the paper as regular expressions: every ending behind stems of every shape.
TEST(PorterStem, OfMadeUpWordsIsTheGoldenOne) {
  const auto& stems = golden_scores()["stems"];
  ASSERT_GT(stems.size(), 800u);
  for (const auto& pair : stems)
    EXPECT_EQ(porter_stem(pair[0].get<std::string>()), pair[1].get<std::string>()) << pair[0];
}

TEST(PorterStem, OfWhatIsNoWordIsThere) {
  EXPECT_EQ(porter_stem(""), "");
  EXPECT_EQ(porter_stem("s"), "s");
  EXPECT_EQ(porter_stem("1999"), "1999");
  EXPECT_EQ(porter_stem("1990s"), "1990");
  const std::string row(1 << 20, 'y');
  EXPECT_GE(porter_stem(row).size(), row.size() - 1) << "a megabyte of y must not take forever";
}

}  // namespace
}  // namespace plumb::test
