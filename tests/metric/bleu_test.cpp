#include "plumb/metric/bleu.h"

#include <map>

#include <gtest/gtest.h>

#include "plumb/metric/signature.h"

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

using enum BleuSmoothing;

BleuOptions with(BleuTokenizer tokenizer, BleuSmoothing smoothing, std::optional<double> value = {}) {
  BleuOptions options;
  options.tokenizer = tokenizer;
  options.smoothing = smoothing;
  options.smoothing_value = value;
  return options;
}

BleuOptions lowercased() {
  BleuOptions options;
  options.lowercase = true;
  return options;
}

const std::map<std::string, BleuOptions> kGoldenBleu = {
    {"exp", {}},
    {"none", with(BleuTokenizer::Mteval13a, None)},
    {"floor", with(BleuTokenizer::Mteval13a, Floor)},
    {"floor[0.5]", with(BleuTokenizer::Mteval13a, Floor, 0.5)},
    {"add-k", with(BleuTokenizer::Mteval13a, AddK)},
    {"add-k[2]", with(BleuTokenizer::Mteval13a, AddK, 2)},
    {"lowercase", lowercased()},
    {"tokenised", with(BleuTokenizer::None, None)},
    {"tokenised exp", with(BleuTokenizer::None, Exp)},
};

TEST(Bleu, OfEverySentenceIsTheGoldenOne) {
  for (const auto& one : golden_scores()["cases"]) {
    ASSERT_EQ(one["sentence_bleu"].size(), kGoldenBleu.size());
    for (const auto& [name, value] : one["sentence_bleu"].items()) {
      const Bleu bleu =
          sentence_bleu(one["hypothesis"].get<std::string>(), one["references"].get<Lines>(), kGoldenBleu.at(name));
      EXPECT_NEAR(bleu.score, value.get<double>(), kTolerance) << one["name"] << ' ' << name;
    }
  }
}

TEST(Bleu, StatisticsOfEverySentenceAreTheGoldenOnes) {
  for (const auto& one : golden_scores()["cases"]) {
    const auto& expected = one["bleu_statistics"];
    const BleuStatistics found = bleu_statistics(one["hypothesis"].get<std::string>(), one["references"].get<Lines>());
    EXPECT_EQ(found.hyp_len, expected["hyp_len"].get<int64_t>()) << one["name"];
    EXPECT_EQ(found.ref_len, expected["ref_len"].get<int64_t>()) << one["name"];
    for (size_t n = 0; n < kBleuOrder; ++n) {
      EXPECT_EQ(found.correct[n], expected["correct"][n].get<int64_t>()) << one["name"];
      EXPECT_EQ(found.total[n], expected["total"][n].get<int64_t>()) << one["name"];
    }
  }
}

TEST(Bleu, OfTheCorpusIsTheGoldenOne) {
  for (const auto& [name, value] : golden_scores()["corpus"]["bleu"].items()) {
    const Bleu bleu = corpus_bleu(golden_hypotheses(), golden_references(), kGoldenBleu.at(name));
    EXPECT_NEAR(bleu.score, value.get<double>(), kTolerance) << name;
  }
}

// sacreBLEU, test/test_bleu.py.
TEST(Bleu, EqualsThePublishedNumbersOfSacrebleu) {
  const Lines hypotheses = {"The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."};
  const std::vector<Lines> references = {{"The dog bit the man.", "The dog had bit the man."},
                                         {"It was not unexpected.", "No one was surprised."},
                                         {"The man bit him first.", "The man had bitten the dog."}};
  EXPECT_NEAR(corpus_bleu(hypotheses, references).score, 48.530827, 1e-7);
  EXPECT_NEAR(corpus_bleu(hypotheses, references, with(BleuTokenizer::Mteval13a, None)).score, 48.530827, 1e-7);
  EXPECT_NEAR(corpus_bleu(hypotheses, references, with(BleuTokenizer::None, Exp)).score, 49.1919566, 1e-7);
  EXPECT_EQ(corpus_bleu(Lines(3), references).score, 0);
}

// The same file's "raw" cases: no tokenisation, floor smoothing, effective order.
TEST(Bleu, EqualsThePublishedRawNumbersOfSacrebleu) {
  const auto raw = [](const char* hypothesis, const char* reference, double floor) {
    const Lines references{reference};
    return sentence_bleu(hypothesis, references, with(BleuTokenizer::None, Floor, floor));
  };
  EXPECT_NEAR(raw("this is a fest", "this is a test", 0.01).score, 22.3606797749979, kTolerance);
  EXPECT_NEAR(raw("test", "a test", 0.01).score, 36.78794411714425, kTolerance);
  EXPECT_NEAR(raw("a test", "a test", 0.01).score, 100, kTolerance);
  EXPECT_NEAR(raw("a little test", "a test", 0.01).score, 3.218297948685433, kTolerance);

  const Bleu bleu = raw("am I am a character sequence", "I am a symbol string sequence a a", 0.1);
  EXPECT_NEAR(bleu.score, 15.55722182, 1e-8);
  EXPECT_EQ(bleu.statistics.correct, (std::array<int64_t, 4>{4, 2, 1, 0}));
  EXPECT_EQ(bleu.statistics.total, (std::array<int64_t, 4>{6, 5, 4, 3}));
}

TEST(Bleu, OfStatisticsEqualsThePublishedNumbersOfSacrebleu) {
  EXPECT_NEAR(bleu_of({11, 11, {9, 7, 5, 3}, {10, 8, 6, 4}}, with(BleuTokenizer::None, None)).score, 83.75922397, 1e-8);
  const std::pair<BleuStatistics, double> kDegenerate[] = {
      {{0, 1, {}, {4, 4, 2, 1}}, 0.0}, {{14, 10, {}, {10, 11, 12, 0}}, 0.0},
      {{0, 0, {}, {}}, 0.0},           {{6, 6, {6, 5, 4, 0}, {6, 5, 4, 3}}, 0.0},
      {{0, 0, {}, {}}, 0.1},           {{1, 5, {}, {}}, 0.01},
  };
  for (const auto& [statistics, floor] : kDegenerate) {
    EXPECT_EQ(bleu_of(statistics, with(BleuTokenizer::None, Floor, floor)).score, 0);
  }
}

// sacreBLEU, test/test_sentence_bleu.py (printed to three digits).
TEST(Bleu, OfASentenceEqualsThePublishedNumbersOfSacrebleu) {
  const Lines references = {"producţia de zahăr brut se exprimă în zahăr alb;"};
  const std::string hypothesis = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;";
  const auto score = [&](const BleuOptions& options) { return sentence_bleu(hypothesis, references, options).score; };
  EXPECT_NEAR(score({}), 8.493, 1e-3);
  EXPECT_EQ(score(with(BleuTokenizer::Mteval13a, None)), 0);
  EXPECT_NEAR(score(with(BleuTokenizer::Mteval13a, Floor)), 4.51688, 1e-3);
  EXPECT_NEAR(score(with(BleuTokenizer::Mteval13a, Floor, 0.5)), 10.10, 1e-3);
  EXPECT_NEAR(score(with(BleuTokenizer::Mteval13a, AddK)), 14.882, 1e-3);
  EXPECT_NEAR(score(with(BleuTokenizer::Mteval13a, AddK, 2)), 21.389, 1e-3);
  EXPECT_NEAR(score(with(BleuTokenizer::None, Exp)), 7.347, 1e-3);
  for (const BleuSmoothing smoothing : {Exp, None, Floor, AddK}) {
    EXPECT_EQ(sentence_bleu("this is a cat", Lines{"okay thanks"}, with(BleuTokenizer::Mteval13a, smoothing)).score, 0);
  }
}

// The line that sacreBLEU 2.6.0 printed for three sentences with these counts (chrF2 67.97).
TEST(Bleu, LineAndSignatureLookLikeSacrebleus) {
  const BleuStatistics sum{26, 24, {20, 12, 6, 4}, {26, 23, 20, 17}};
  EXPECT_EQ(bleu_line(bleu_of(sum)),
            "BLEU = 41.03 76.9/52.2/30.0/23.5 (BP = 1.000 ratio = 1.083 hyp_len = 26 ref_len = 24)");
  EXPECT_EQ(signature(1, bleu_settings()),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:plumb-" PLUMB_VERSION "-compat-2.6.0");
  BleuOptions options = with(BleuTokenizer::None, Floor);
  options.lowercase = options.effective_order = true;
  EXPECT_EQ(signature(2, bleu_settings(options), "bs:1000|seed:12345"),
            "nrefs:2|bs:1000|seed:12345|case:lc|eff:yes|tok:none|smooth:floor[0.10]|version:plumb-" PLUMB_VERSION
            "-compat-2.6.0");
}

TEST(Bleu, OfTokenisedTextWithoutSmoothingIsCalledMultiBleu) {
  EXPECT_EQ(bleu_name({}), "BLEU");
  EXPECT_EQ(bleu_name(with(BleuTokenizer::None, Exp)), "BLEU");
  const BleuOptions options = with(BleuTokenizer::None, None);
  const Bleu bleu = corpus_bleu(Lines{"a b c ."}, Lines{"a b c d ."}, options);
  // All four words, two of three bigrams, one of two trigrams, no 4-gram: multi-bleu.perl prints 0.
  EXPECT_EQ(
      bleu_line(bleu, options),
      "BLEU (multi-bleu, tokenised) = 0.00 100.0/66.7/50.0/0.0 (BP = 0.779 ratio = 0.800 hyp_len = 4 ref_len = 5)");
}

TEST(Bleu, RefusesUnequalNumbersOfLines) {
  EXPECT_THROW(corpus_bleu(Lines(2), Lines(3)), std::invalid_argument);
  EXPECT_THROW(bleu_statistics("a", Lines{}), std::invalid_argument);
}

}  // namespace
}  // namespace plumb::test
