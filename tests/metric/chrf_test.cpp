#include "plumb/metric/chrf.h"

#include <map>

#include <gtest/gtest.h>

#include "plumb/metric/signature.h"

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

ChrfOptions with(size_t word_order, bool lowercase) {
  ChrfOptions options;
  options.word_order = word_order;
  options.lowercase = lowercase;
  return options;
}

const std::map<std::string, ChrfOptions> kGoldenChrf = {
    {"chrf", with(0, false)},
    {"chrf++", with(2, false)},
    {"chrf lowercase", with(0, true)},
    {"chrf++ lowercase", with(2, true)},
};

TEST(Chrf, OfEverySentenceIsTheGoldenOne) {
  for (const auto& one : golden_scores()["cases"]) {
    for (const auto& [name, value] : one["chrf"].items()) {
      const ChrfOptions& options = kGoldenChrf.at(name);
      const auto statistics =
          chrf_statistics(one["hypothesis"].get<std::string>(), one["references"].get<Lines>(), options);
      EXPECT_NEAR(chrf_of(statistics, options), value.get<double>(), kTolerance) << one["name"] << ' ' << name;
    }
  }
}

TEST(Chrf, OfTheCorpusIsTheGoldenOne) {
  for (const auto& [name, value] : golden_scores()["corpus"]["chrf"].items()) {
    const double score = corpus_chrf(golden_hypotheses(), golden_references(), kGoldenChrf.at(name));
    EXPECT_NEAR(score, value.get<double>(), kTolerance) << name;
  }
}

// sacreBLEU, test/test_chrf.py, to the digits printed there.
TEST(Chrf, EqualsThePublishedNumbersOfSacrebleu) {
  struct Case {
    Lines hypotheses, references;
    double score;
  };
  const Case kEffectiveOrder[] = {
      {{"a"}, {"a"}, 100}, {{""}, {"reference"}, 0},     {{"a b c"}, {"a b c"}, 100}, {{"a b c"}, {"abc"}, 100},
      {{""}, {"c"}, 0},    {{"a", "b"}, {"a", "c"}, 50}, {{"aa"}, {"ab"}, 25},
  };
  ChrfOptions options;
  options.beta = 3;
  for (const Case& one : kEffectiveOrder) {
    EXPECT_NEAR(corpus_chrf(one.hypotheses, one.references, options), one.score, kTolerance);
  }

  const std::string risk =
      "risk assessment must be made of those who are qualified and expertise in the sector - these are the scientists "
      ".";
  const std::string risk_reference =
      "risk assessment has to be undertaken by those who are qualified and expert in that area - that is the "
      "scientists .";
  const std::string friendly = "Die Beziehung zwischen Obama und Netanjahu ist nicht gerade freundlich.";
  const std::string friendly_reference =
      "Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich.";
  const Case kSmoothed[] = {
      {{"abcdefg"}, {"hijklmnop"}, 0},
      {{"a"}, {"b"}, 0},
      {{""}, {"ref"}, 0},
      {{"aa"}, {"ab"}, 8.3333},
      {{"a", "b"}, {"a", "c"}, 8.3333},
      {{"a"}, {"a"}, 16.6667},
      {{"a b c"}, {"abc"}, 50},
      {{" " + risk}, {risk_reference}, 63.361730},
      {{friendly}, {friendly_reference}, 64.1302698},
  };
  options.eps_smoothing = true;
  for (const Case& one : kSmoothed) {
    EXPECT_NEAR(corpus_chrf(one.hypotheses, one.references, options), one.score, 1e-4);
  }

  options.eps_smoothing = false;
  options.whitespace = true;
  EXPECT_NEAR(corpus_chrf(Lines{friendly}, Lines{friendly_reference}, options), 67.3481606, 1e-7);
  EXPECT_NEAR(corpus_chrf(Lines{risk}, Lines{risk_reference}, options), 65.2414427, 1e-7);
}

TEST(Chrf, OfASentenceEqualsThePublishedNumbersOfSacrebleu) {
  ChrfOptions options;
  options.eps_smoothing = true;
  const auto score = [&](const char* hypothesis, const char* reference) {
    return corpus_chrf(Lines{hypothesis}, Lines{reference}, options);
  };
  EXPECT_NEAR(score("Co nás nejvíc trápí, protože lékaři si vybírají, kdo bude žít a kdo zemře.",
                    "Nejvíce smutní jsme z toho, že musíme rozhodovat o tom, kdo bude žít a kdo zemře."),
              39.14078509, 1e-8);
  EXPECT_NEAR(score("Nebo prostě nemají vybavení, které by jim pomohlo, uvedli lékaři.",
                    "A někdy nemáme ani potřebný materiál, abychom jim pomohli, popsali lékaři."),
              31.22557079, 1e-8);
  EXPECT_NEAR(score("Lapali po dechu, jejich životy skončily dřív, než skutečně začaly.",
                    "Lapali po dechu a pak jejich život skončil - dřív, než skutečně mohl začít, připomněli."),
              57.15704367, 1e-8);
}

TEST(Chrf, CountsCodePointsNotBytes) {
  // One of two characters is right, and both are two bytes of which three agree.
  ChrfOptions options;
  options.char_order = 1;
  EXPECT_NEAR(corpus_chrf(Lines{"éà"}, Lines{"éè"}, options), 50, kTolerance);
}

TEST(Chrf, SignatureLooksLikeSacrebleus) {
  EXPECT_EQ(chrf_name({}), "chrF2");
  EXPECT_EQ(chrf_name(with(2, false)), "chrF2++");
  EXPECT_EQ(signature(1, chrf_settings()),
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:plumb-" PLUMB_VERSION "-compat-2.6.0");
  EXPECT_EQ(signature(1, chrf_settings(with(2, true))),
            "nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:plumb-" PLUMB_VERSION "-compat-2.6.0");
}

}  // namespace
}  // namespace plumb::test
