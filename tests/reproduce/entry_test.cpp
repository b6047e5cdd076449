// Entries of the test's own: what a file may say, what a verdict is, when it is stale, and how it is shown.

#include "plumb/reproduce/entry.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/reproduce/catalogue.h"
#include "plumb/reproduce/render.h"
#include "plumb/reproduce/result.h"

#include "support/temporary_directory.h"

namespace plumb::reproduce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kEntry[] = R"toml(
id = "A-F1"
where = "Fig. 1"
title = "warm-up | decides"
claim = "It is needed."
remark = "Only one seed of two."

[paper_scale]
needs = "a GPU"
commands = ["plumb train big.toml"]

[desk]
setting = "Small."
minutes = 3
sweeps = ["../sweep/small.toml"]

[[expect]]
words = "without it nothing is learnt"
rule = "learned(w0) = 0"

[[expect]]
words = "with it, everything"
rule = "learned(w9) = runs(w9)"
)toml";

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    write("base.toml", "[train]\nmax_update = 7\n");
    write("sweep/small.toml", "config = \"../base.toml\"\nseeds = 2\n");
    write("paper/paper.toml", "title = \"A paper\"\ncitation = \"Somebody 2020.\"\n");
    write("paper/A-F1.toml", kEntry);
  }

  void write(const std::string& name, const std::string& text) {
    const auto file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  Entry entry() const { return read_entry(folder_.path() / "paper/A-F1.toml"); }

  std::string error_with(const std::string& from, const std::string& to) {
    std::string text = kEntry;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write("paper/A-F1.toml", text.replace(at, from.size(), to));
    try {
      entry();
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string page(const std::optional<Result>& result) {
    const std::vector<Paper> papers = read_catalogue(folder_.path());
    Results results;
    if (result) results.emplace(result->id, *result);
    return paper_page(papers.at(0), results);
  }

  TemporaryDirectory folder_;
};

MeasuredRun measured(const std::string& arm, int64_t seed, RunState outcome, double loss) {
  return {arm, seed, outcome, {{"loss", loss}, {"last_loss", loss}, {"entropy", 3.0}}, {{100, loss}}};
}

Measurements measured(double w0, double w9) {
  const auto outcome = [](double loss) { return std::isfinite(loss) ? RunState::Finished : RunState::Diverged; };
  return {.runs = {measured("w0", 1, outcome(w0), w0), measured("w0", 2, RunState::Finished, 2.9),
                   measured("w9", 1, outcome(w9), w9), measured("w9", 2, RunState::Finished, 0.1)},
          .curves = {}};
}

TEST_F(Folder, AnEntryIsReadAsItStands) {
  const Entry one = entry();
  EXPECT_EQ(one.id, "A-F1");
  EXPECT_EQ(one.paper, "paper");
  EXPECT_EQ(one.desk.minutes, 3);
  EXPECT_EQ(one.expectations.size(), 2u);
  EXPECT_EQ(sweep_name(one.desk.sweeps.at(0)), "small");
  EXPECT_TRUE(one.can_run());
}

TEST_F(Folder, MistakesNameFileLineAndKey) {
  EXPECT_THAT(error_with("claim", "clam"), AllOf(HasSubstr("A-F1.toml:5"), HasSubstr("Did you mean claim?")));
  EXPECT_THAT(error_with("A-F1", "A-F2"), HasSubstr("is not the name of its file"));
  EXPECT_THAT(error_with("small.toml", "none.toml"), HasSubstr("there is no"));
  EXPECT_THAT(error_with("= 0\"", "= \""), AllOf(HasSubstr("is not a rule"), HasSubstr("A-F1.toml")));
  EXPECT_THAT(error_with("minutes = 3", "minutes = \"3\""), HasSubstr("wants a number"));
  EXPECT_THAT(error_with("sweeps = [\"../sweep/small.toml\"]", ""), HasSubstr("cannot be judged"));
}

TEST_F(Folder, TheVerdictIsAllSomeOrNone) {
  const Entry one = entry();
  EXPECT_EQ(judge(one, measured(2.9, 0.1)).verdict, EntryVerdict::Reproduced);
  EXPECT_EQ(judge(one, measured(0.1, 0.1)).verdict, EntryVerdict::Partly);
  EXPECT_EQ(judge(one, measured(0.1, 2.9)).verdict, EntryVerdict::NotReproduced);
  // A diverged run has not learnt: it is counted, not dropped.
  EXPECT_EQ(judge(one, measured(2.9, std::numeric_limits<double>::infinity())).verdict, EntryVerdict::Partly);
}

TEST_F(Folder, AResultReadsBackAsItWasWritten) {
  const Entry one = entry();
  const Measurements all = measured(std::numeric_limits<double>::infinity(), 0.123456);
  const Result result = make_result(one, judge(one, all), all, 61);
  write_result(folder_.path() / "results", result);
  const std::optional<Result> back = read_result(folder_.path() / "results", "A-F1");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->verdict, EntryVerdict::Reproduced);
  EXPECT_EQ(back->fingerprint, one.fingerprint);
  EXPECT_EQ(back->lines.at(0).shown, "0 = 0");
  EXPECT_EQ(back->measured.runs.at(0).numbers.at("loss"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(back->measured.runs.at(2).numbers.at("loss"), 0.12346);  // five digits
  EXPECT_EQ(back->seconds, 61);
  EXPECT_FALSE(read_result(folder_.path() / "results", "A-F9"));
}

TEST_F(Folder, AHalfResultIsDamaged) {
  write("results/A-F1.json", "{\"id\": \"A-F1\",");
  EXPECT_THROW(read_result(folder_.path() / "results", "A-F1"), DamagedFile);
  std::filesystem::create_directories(folder_.path() / "results/A-F2.json");
  EXPECT_THROW(read_result(folder_.path() / "results", "A-F2"), DamagedFile);
}

TEST_F(Folder, AVerdictThatDoesNotFollowFromTheRulesIsDamage) {
  const Entry one = entry();
  const Measurements all = measured(0.1, 0.1);
  write_result(folder_.path() / "results", make_result(one, judge(one, all), all, 61));
  std::ifstream file(folder_.path() / "results/A-F1.json");
  const std::string whole{std::istreambuf_iterator<char>(file), {}}, partly = R"("verdict": "partly")";
  const size_t at = whole.find(partly);
  ASSERT_NE(at, std::string::npos);
  for (const char* verdict : {"reproduced", "not reproduced", "banana"}) {
    std::string text = whole;
    write("results/A-F1.json", text.replace(at, partly.size(), fmt::format(R"("verdict": "{}")", verdict)));
    EXPECT_THROW(read_result(folder_.path() / "results", "A-F1"), DamagedFile) << verdict;
  }
  write("results/A-F1.json", whole);
  EXPECT_TRUE(read_result(folder_.path() / "results", "A-F1"));
  std::filesystem::rename(folder_.path() / "results/A-F1.json", folder_.path() / "results/A-F2.json");
  EXPECT_THROW(read_result(folder_.path() / "results", "A-F2"), DamagedFile);
}

TEST_F(Folder, AChangedExpectationOrSweepMakesTheVerdictStale) {
  const Entry before = entry();
  const Measurements all = measured(2.9, 0.1);
  const Result result = make_result(before, judge(before, all), all, 1);
  EXPECT_EQ(verdict_text(before, result), "reproduced");
  EXPECT_EQ(verdict_text(before, std::nullopt), "not run");
  for (const auto& [from, to] : {std::pair("= 0\"", "< 2\""), std::pair("nothing is learnt", "little is learnt")}) {
    error_with(from, to);
    EXPECT_THAT(verdict_text(entry(), result), HasSubstr("not run")) << to;
  }
  write("paper/A-F1.toml", kEntry);
  EXPECT_EQ(verdict_text(entry(), result), "reproduced");
  write("sweep/small.toml", "# Only a remark.\nconfig = \"../base.toml\"\nseeds = 2\n");
  EXPECT_EQ(verdict_text(entry(), result), "reproduced");
  write("base.toml", "[train]\nmax_update = 8\n");  // what all runs have in common
  EXPECT_THAT(verdict_text(entry(), result), HasSubstr("not run"));
  write("base.toml", "[train]\nmax_update = 7\n");
  write("sweep/small.toml", "config = \"../base.toml\"\nseeds = 3\n");
  EXPECT_THAT(verdict_text(entry(), result), HasSubstr("not run"));
  EXPECT_THAT(page(result), AllOf(HasSubstr("not run"), Not(HasSubstr("reproduced**"))));
}

TEST_F(Folder, OtherTextsMayChangeWithoutMakingItStale) {
  const std::string before = entry().fingerprint;
  EXPECT_EQ(error_with("It is needed.", "It is really needed."), "no error");
  EXPECT_EQ(entry().fingerprint, before);
}

TEST_F(Folder, APageShowsClaimRuleMeasurementAndVerdict) {
  const Entry one = entry();
  const Measurements all = measured(std::numeric_limits<double>::infinity(), 2.9);
  const std::string judged = page(make_result(one, judge(one, all), all, 125));
  EXPECT_THAT(judged, HasSubstr("# A paper"));
  EXPECT_THAT(judged, HasSubstr("warm-up \\| decides"));  // a bar would end the cell
  EXPECT_THAT(judged, HasSubstr("Verdict: **partly** (1 of 2"));
  EXPECT_THAT(judged, HasSubstr("| with it, everything | `learned(w9) = runs(w9)` | 1 not = 2 | **no** |"));
  EXPECT_THAT(judged, HasSubstr("| `w0` | 1 diverged, 1 finished | none: 1 of 2 have no finite loss | 97 % |"));
  EXPECT_THAT(judged, HasSubstr("| `w9` | 2 finished | 1.500 ± 1.980 | 3 to 97 % |"));
  EXPECT_THAT(judged, HasSubstr("2 min 05 s"));
  EXPECT_THAT(judged, HasSubstr("    plumb train big.toml\n"));
  EXPECT_THAT(judged, HasSubstr("After the run: Only one seed of two."));
  EXPECT_THAT(page(std::nullopt), AllOf(HasSubstr("Verdict: **not run**"), HasSubstr("about 3 min 00 s"),
                                        Not(HasSubstr("Only one seed"))));  // nothing was run, so nothing came out
}

}  // namespace
}  // namespace plumb::reproduce
