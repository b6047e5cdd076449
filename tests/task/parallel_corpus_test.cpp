#include "plumb/task/parallel_corpus.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/process/front_process.h"
#include "plumb/task/run_tokenizer.h"

#include "support/numbers.h"
#include "support/temporary_directory.h"

namespace plumb {
namespace {

using test::values;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Pair {
  std::vector<int32_t> source, target;
};

/// Token files of these pairs, as `plumb prepare` leaves them; the texts are only names.
PreparedSplit written(const TemporaryDirectory& folder, const std::vector<Pair>& pairs) {
  TokenFileWriter source, target;
  for (const Pair& pair : pairs) {
    source.add(pair.source);
    target.add(pair.target);
  }
  const PreparedSplit split{{"corpus.en", (folder / "source.tokens").string(), {}},
                            {"corpus.de", (folder / "target.tokens").string(), {}}};
  source.write(split.source.tokens, sha256_hex("source"));
  target.write(split.target.tokens, sha256_hex("target"));
  return split;
}

std::vector<int64_t> lengths(const ops::Packed& rows) {
  std::vector<int64_t> result;
  for (int64_t b = 0; b < rows.sequences(); ++b) result.push_back(rows.length(b));
  return result;
}

DataConfig subword_nmt() {
  DataConfig data;
  data.subwords = Subwords::SubwordNmt;
  return data;
}

std::string problem(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Of every kind one: usable, an empty side, both empty, a long side; the lines that stay are 0, 4 and 6.
const std::vector<Pair> kMixed = {{{4, 5}, {6}},    {{}, {7}}, {{8}, {}},    {{4, 5, 6, 7}, {8}},
                                  {{9}, {4, 5, 6}}, {{}, {}},  {{10}, {11}}, {{4}, {5, 6, 7, 8}}};

TEST(ParallelCorpus, KeepsTheOrderAndCountsWhatItLeavesOut) {
  const TemporaryDirectory folder;
  const ParallelCorpus corpus(written(folder, kMixed), /*max_length=*/4);  // three tokens and </s>
  ASSERT_EQ(corpus.lengths().size(), 3u);
  EXPECT_EQ(corpus.left_out(), 5);
  const std::vector<std::vector<int64_t>> expected = {{0, 3, 2}, {4, 2, 4}, {6, 2, 2}};
  for (int64_t i = 0; i < 3; ++i) {
    const PairLengths& pair = corpus.lengths()[static_cast<size_t>(i)];
    EXPECT_THAT(expected[static_cast<size_t>(i)], ElementsAre(corpus.line(i), pair.source, pair.target));
  }
  EXPECT_EQ(corpus.target_tokens(), 2 + 4 + 2);
}

TEST(ParallelCorpus, WithoutALimitKeepsEveryPair) {
  const TemporaryDirectory folder;
  const ParallelCorpus corpus(written(folder, kMixed), /*max_length=*/0);
  EXPECT_EQ(corpus.lengths().size(), kMixed.size());
  EXPECT_EQ(corpus.left_out(), 0);
  const TrainingBatch batch = corpus.batch({5, 1});
  EXPECT_THAT(values(batch.inputs.source.ids), ElementsAre(kEos, kEos));
  EXPECT_THAT(values(batch.targets), ElementsAre(kEos, 7, kEos));
}

TEST(ParallelCorpus, InWhichNothingIsLeftIsAnError) {
  const TemporaryDirectory folder;
  const PreparedSplit files = written(folder, kMixed);
  EXPECT_THAT(problem([&] { ParallelCorpus(files, 1); }), AllOf(HasSubstr("corpus.en"), HasSubstr("data.max_length")));
  const TemporaryDirectory other;
  const PreparedSplit none = written(other, {});
  EXPECT_THAT(problem([&] { ParallelCorpus(none, 0); }), HasSubstr("corpus.en: no sentence pair"));
}

TEST(ParallelCorpus, OfSidesWithDifferentNumbersOfLinesIsAnError) {
  const TemporaryDirectory folder, other;
  PreparedSplit files = written(folder, kMixed);
  files.target.tokens = written(other, {{{4}, {5}}}).target.tokens;
  EXPECT_THAT(problem([&] { ParallelCorpus(files, 0); }),
              AllOf(HasSubstr("corpus.de: has 1 lines"), HasSubstr("corpus.en has 8")));
}

TEST(ParallelCorpus, ABatchIsPackedShiftedAndNamedByItsLines) {
  const TemporaryDirectory folder;
  const ParallelCorpus corpus(written(folder, kMixed), /*max_length=*/4);
  const TrainingBatch batch = corpus.batch({2, 0, 1});  // lines 6, 0 and 4
  const Tokens &source = batch.inputs.source, &target = batch.inputs.target;
  EXPECT_THAT(values(source.ids), ElementsAre(10, kEos, 4, 5, kEos, 9, kEos));
  EXPECT_THAT(lengths(source.rows), ElementsAre(2, 3, 2));
  EXPECT_THAT(values(target.ids), ElementsAre(kEos, 11, kEos, 6, kEos, 4, 5, 6));
  EXPECT_THAT(values(batch.targets), ElementsAre(11, kEos, 6, kEos, 4, 5, 6, kEos));
  EXPECT_THAT(lengths(target.rows), ElementsAre(2, 2, 4));
  EXPECT_THAT(source.rows.samples(), ElementsAre(6, 0, 4));
  EXPECT_THAT(target.rows.samples(), ElementsAre(6, 0, 4));
}

TEST(ParallelCorpus, ItsSourceAloneIsThatOfTheBatch) {
  const TemporaryDirectory folder;
  const ParallelCorpus corpus(written(folder, kMixed), /*max_length=*/4);
  const Tokens source = corpus.source({1, 2});
  EXPECT_THAT(values(source.ids), ElementsAre(9, kEos, 10, kEos));
  EXPECT_THAT(lengths(source.rows), ElementsAre(2, 2));
  EXPECT_THAT(source.rows.samples(), ElementsAre(4, 6));
}

// Three times 4, once 5, twice </s>: p = 1/2, 1/6, 1/3. The pair that is left out does not count.
TEST(ParallelCorpus, UnigramEntropyIsThatOfTheTargetsWithTheirEnds) {
  const TemporaryDirectory folder;
  const std::vector<Pair> pairs = {{{9}, {4, 4, 5}}, {{9}, {9, 9, 9, 9, 9, 9}}, {{8, 8}, {4}}};
  const ParallelCorpus corpus(written(folder, pairs), /*max_length=*/5);
  ASSERT_EQ(corpus.left_out(), 1);
  EXPECT_NEAR(corpus.unigram_entropy(), std::log(2) / 2 + std::log(6) / 6 + std::log(3) / 3, 1e-15);
  const TemporaryDirectory other;
  const ParallelCorpus different(written(other, {{{9}, {4, 5, 6, 7, 8, 9, 10}}}), 0);
  EXPECT_NEAR(different.unigram_entropy(), std::log(8), 1e-15);  // eight tokens, each once
}

TEST(PackSources, EndsEachSentenceAndKeepsItsName) {
  const std::vector<std::vector<int32_t>> sentences = {{4, 5}, {}, {6}};
  const std::vector<int64_t> samples = {20, 3, 11};
  const Tokens packed = pack_sources(sentences, samples);
  EXPECT_THAT(values(packed.ids), ElementsAre(4, 5, kEos, kEos, 6, kEos));
  EXPECT_THAT(lengths(packed.rows), ElementsAre(3, 1, 2));
  EXPECT_EQ(packed.rows.samples(), samples);
}

TEST(OpenTokenizer, ReadsADictionaryWithAndWithoutCodes) {
  const TemporaryDirectory folder;
  const std::string dict = (folder / "dict.txt").string(), codes = (folder / "codes").string();
  write_all(dict, "low@@ 9\ner 8\nthe 7\n");
  write_all(codes, "#version: 0.2\ne r</w>\nl o\nlo w\nt h\nth e</w>\n");
  const auto split = open_tokenizer({.model = {}, .codes = {}, .dict = dict}, subword_nmt());
  EXPECT_THAT(split->encode("the low@@ er lower"), ElementsAre(6, 4, 5, kUnk));
  const auto whole = open_tokenizer({.model = {}, .codes = codes, .dict = dict}, subword_nmt());
  EXPECT_THAT(whole->encode("the lower"), ElementsAre(6, 4, 5));
  EXPECT_EQ(whole->decode(whole->encode("the lower")), "the lower");
  EXPECT_NE(whole->fingerprint(), split->fingerprint());
  EXPECT_THAT(
      problem([&] { open_tokenizer({.model = {}, .codes = {}, .dict = (folder / "none").string()}, subword_nmt()); }),
      HasSubstr("none: cannot be opened"));
}

// The program `plumb` of this build stands beside the test.
TEST(OpenTokenizer, AsksTheFrontForASentencePieceModel) {
  const TemporaryDirectory folder;
  const std::string text = (folder / "text").string(), model = (folder / "m.model").string();
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "the quick brown fox sees " + std::to_string(i) + " lazy dogs\n";
  write_all(text, lines);
  run_front({"text", "train", "--input", text, "--model", model, "--vocab-size", "60"});
  const auto tokenizer = open_tokenizer({.model = model, .codes = {}, .dict = {}}, {});
  const std::vector<int32_t> ids = tokenizer->encode("the lazy fox sees 12 dogs");
  for (int32_t id : ids) EXPECT_GE(id, kSpecials);
  EXPECT_EQ(tokenizer->decode(ids), "the lazy fox sees 12 dogs");
  EXPECT_THAT(problem([&] { open_tokenizer({.model = (folder / "none").string(), .codes = {}, .dict = {}}, {}); }),
              HasSubstr("none: cannot be opened"));
}

}  // namespace
}  // namespace plumb
