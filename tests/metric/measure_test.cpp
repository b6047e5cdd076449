#include "plumb/metric/measure.h"

#include <set>

#include <gtest/gtest.h>

#include "plumb/catalogue/metrics.h"

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

TEST(Measure, ExistsForEveryRowOfTheCatalogueAndForNothingElse) {
  std::set<std::string_view> names;
  for (const MetricRow& row : metrics()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_metric(row.name), &row);
    EXPECT_FALSE(row.formula.empty() || row.summary.empty() || row.summary.ends_with('.')) << row.name;
    EXPECT_TRUE(make_measure(row.name).score) << row.name;
  }
  EXPECT_EQ(find_metric("bleue"), nullptr);
  EXPECT_THROW(make_measure("bleue"), std::logic_error);
}

TEST(Measure, OfTheCorpusIsTheGoldenScore) {
  const auto& corpus = golden_scores()["corpus"];
  const auto score = [](std::string_view name, const MeasureOptions& options = {}) {
    return corpus_score(make_measure(name, options), golden_hypotheses(), golden_references()).value;
  };
  MeasureOptions lower, tokenised;
  lower.lowercase = true;
  tokenised.tokenizer = BleuTokenizer::None;
  tokenised.smoothing = BleuSmoothing::None;
  EXPECT_NEAR(score("bleu"), corpus["bleu"]["exp"].get<double>(), kTolerance);
  EXPECT_NEAR(score("bleu", lower), corpus["bleu"]["lowercase"].get<double>(), kTolerance);
  EXPECT_NEAR(score("bleu", tokenised), corpus["bleu"]["tokenised"].get<double>(), kTolerance);
  EXPECT_NEAR(score("chrf"), corpus["chrf"]["chrf"].get<double>(), kTolerance);
  EXPECT_NEAR(score("chrf++"), corpus["chrf"]["chrf++"].get<double>(), kTolerance);
  EXPECT_NEAR(score("chrf++", lower), corpus["chrf"]["chrf++ lowercase"].get<double>(), kTolerance);
  EXPECT_NEAR(score("rouge"), corpus["rouge"][2].get<double>(), kTolerance);
  EXPECT_NEAR(score("wer"), corpus["word_edits"]["rate"].get<double>(), kTolerance);
  EXPECT_NEAR(score("cer"), corpus["character_edits"]["rate"].get<double>(), kTolerance);
  EXPECT_NEAR(score("exact"), corpus["exact"].get<double>(), kTolerance);
}

// What the table promises: a perfect text has the best score, and a spoilt one is on the other side of it.
TEST(Measure, GetsBetterInTheDirectionOfItsRow) {
  const Lines right = {"1", "0", "1"}, wrong = {"1", "0", "0"};
  const std::vector<Lines> references = {{"1"}, {"0"}, {"1"}};
  for (const MetricRow& row : metrics()) {
    const Measure measure = make_measure(row.name);
    const double best = corpus_score(measure, right, references).value;
    const double worse = corpus_score(measure, wrong, references).value;
    if (row.better == MetricRow::Better::Lower) {
      EXPECT_EQ(best, 0) << row.name;
      EXPECT_GT(worse, best) << row.name;
    } else if (row.name != "bleu") {  // single words have no 4-grams, and corpus BLEU is 0
      EXPECT_NEAR(best, 100, kTolerance) << row.name;
      EXPECT_LT(worse, best) << row.name;
    }
  }
}

TEST(Measure, IgnoresCaseWhenAsked) {
  MeasureOptions lower;
  lower.lowercase = true;
  for (const MetricRow& row : metrics()) {
    const std::vector<Lines> references = {{row.name == "f1" ? "1" : "The Cat sat on ÖL"}};
    const Lines hypotheses = {row.name == "f1" ? "1" : "the cat SAT on öl"};
    const double perfect = row.better == MetricRow::Better::Higher ? 100 : 0;
    EXPECT_NEAR(corpus_score(make_measure(row.name, lower), hypotheses, references).value, perfect, kTolerance);
  }
}

TEST(Measure, SaysItsScoreInOneLine) {
  const Lines hypotheses = {"a b c d e", "x"};
  const std::vector<Lines> references = {{"a b c d f"}, {"x"}};
  const auto line = [&](std::string_view name) {
    return corpus_score(make_measure(name), hypotheses, references).line;
  };
  // 5 of 6 words; bigrams 3 of 4, trigrams 2 of 3, 4-grams 1 of 2.
  EXPECT_EQ(line("bleu"), "BLEU = 67.56 83.3/75.0/66.7/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)");
  EXPECT_EQ(line("wer"), "WER = 16.67 (S = 1 D = 0 I = 0 ref_len = 6)");
  EXPECT_EQ(line("cer"), "CER = 10.00 (S = 1 D = 0 I = 0 ref_len = 10)");
  EXPECT_EQ(line("exact"), "exact match = 50.00 (1 of 2)");
  EXPECT_EQ(line("accuracy"), "accuracy = 50.00 (1 of 2) majority = 50.00");
  EXPECT_EQ(line("rouge"), "ROUGE-1 = 90.00 ROUGE-2 = 37.50 ROUGE-L = 90.00");
  EXPECT_EQ(corpus_score(make_measure("f1"), Lines{"1", "1"}, std::vector<Lines>{{"1"}, {"0"}}).line,
            "F1 = 66.67 (precision = 50.00 recall = 100.00 TP = 1 FP = 1 FN = 0) majority = 50.00 always_1 = 66.67");
}

double part(const Score& score, const std::string& name) {
  for (const auto& [key, value] : score.parts) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no part " << name;
  return 0;
}

// MRPC's test set has 1,147 paraphrases in 1,725 pairs: 66.5 % accuracy and 79.9 % F1 for nothing (Wang 2018, GLUE).
TEST(Measure, OfLabelsSaysWhatATrivialAnswerWouldGet) {
  std::vector<Lines> references;
  for (int i = 0; i < 1725; ++i) references.push_back({i < 1147 ? "1" : "0"});
  const Lines always(1725, "1");
  const Score accuracy = corpus_score(make_measure("accuracy"), always, references);
  EXPECT_NEAR(part(accuracy, "majority"), 66.5, 0.05);
  EXPECT_NEAR(part(accuracy, "majority"), accuracy.value, kTolerance);
  const Score f1 = corpus_score(make_measure("f1"), always, references);
  EXPECT_NEAR(part(f1, "majority"), 66.5, 0.05);
  EXPECT_NEAR(part(f1, "always_1"), 79.9, 0.05);
  EXPECT_NEAR(part(f1, "always_1"), f1.value, kTolerance);
}

TEST(Measure, CountsLabelsForTheMajorityAsItComparesThem) {
  const std::vector<Lines> references = {{"Yes"}, {"yes "}, {" yes"}, {"no"}};
  MeasureOptions lower;
  lower.lowercase = true;
  const Lines answers(4, "no");
  EXPECT_NEAR(part(corpus_score(make_measure("accuracy"), answers, references), "majority"), 50, kTolerance);
  EXPECT_NEAR(part(corpus_score(make_measure("accuracy", lower), answers, references), "majority"), 75, kTolerance);
}

TEST(Measure, OfRougeTakesStemsAndSaysSo) {
  MeasureOptions stems;
  stems.stem = true;
  const auto& corpus = golden_scores()["corpus"];
  const Score score = corpus_score(make_measure("rouge", stems), golden_hypotheses(), golden_references());
  EXPECT_NEAR(score.value, corpus["rouge_stem"][2].get<double>(), kTolerance);
  EXPECT_NE(make_measure("rouge", stems).settings.find("|stem:porter|"), std::string::npos);
  EXPECT_NE(make_measure("rouge").settings.find("|stem:no|"), std::string::npos);
}

// What the bootstrap resamples by name must be there.
TEST(Measure, HasAPartForEachOfItsScores) {
  for (const MetricRow& row : metrics()) {
    const Measure measure = make_measure(row.name);
    const Score score = corpus_score(measure, Lines{"1"}, std::vector<Lines>{{"1"}});
    for (const std::string& name : measure.scores) part(score, name);
  }
  EXPECT_EQ(make_measure("rouge").scores.size(), 3u);
}

TEST(Measure, RefusesEmptyAndUnequalSets) {
  EXPECT_THROW(corpus_score(make_measure("wer"), Lines{}, std::vector<Lines>{}), std::invalid_argument);
  EXPECT_THROW(corpus_score(make_measure("wer"), Lines{"a"}, std::vector<Lines>{}), std::invalid_argument);
}

}  // namespace
}  // namespace plumb::test
