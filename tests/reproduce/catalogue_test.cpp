// The catalogue of the project itself: every figure and table has its entry, and every entry can be judged.

#include "plumb/reproduce/catalogue.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/config/load.h"
#include "plumb/reproduce/evidence.h"
#include "plumb/reproduce/judge.h"
#include "plumb/sweep/read_sweep.h"

namespace plumb::reproduce {
namespace {

using ::testing::HasSubstr;

const std::vector<Paper>& papers() {
  static const std::vector<Paper> all = [] {
    std::filesystem::current_path(PLUMB_SOURCE_DIR);
    return read_catalogue("reproduce");
  }();
  return all;
}

std::vector<const Entry*> entries() {
  std::vector<const Entry*> all;
  for (const Paper& paper : papers()) {
    for (const Entry& entry : paper.entries) all.push_back(&entry);
  }
  return all;
}

// One run of every arm and seed, with numbers that mean nothing: enough to see that a rule finds what it names.
void add_runs(const std::filesystem::path& file, Measurements& into) {
  const sweep::Sweep sweep = sweep::read_sweep(file);
  for (const sweep::Arm& arm : arms_of(sweep)) {
    for (const int64_t seed : sweep.seeds) {
      const Config config = config_of(sweep, arm);
      MeasuredRun run{.arm = arm.name, .seed = seed, .outcome = RunState::Finished, .numbers = {}, .course = {}};
      for (const char* name : {"loss", "last_loss", "train_loss", "entropy", "ppl", "seconds"}) run.numbers[name] = 1;
      if (sweep.test) {
        for (const char* name : {"test.ppl", "test.wer", "test.rouge.rouge1"}) run.numbers[name] = 1;
      }
      for (int64_t update = config.train.validate_interval; update <= config.train.max_update;
           update += config.train.validate_interval) {
        run.course.emplace_back(update, 1.0);
      }
      into.runs.push_back(run);
    }
  }
}

TEST(Catalogue, HasEveryFigureAndTableOfTheFourPapers) {
  const std::set<std::string> wanted = {
      "X-F2a", "X-F2b", "X-F3ab", "X-F3cd",  "X-conc", "X-fixlr", "X-F4ab", "X-F4cd", "X-F5",  "X-qk0",  // Xiong
      "Z-F3",  "Z-F4",  "Z-F5",   "Z-depth",  // Zhang & Mackey
      "L-T1",  "L-T2",  "L-T3",   "L-T4",    "L-F1",   "L-F3",    "L-F4",   "L-F5",   "L-F7",  "L-F8",  // Liu
      "L-F9",  "L-F10", "L-F11",  "L-warm",  "L-init",                                                  //
      "T-T1",  "T-T2",  "T-T3",   "T-T4",    "T-T5",   "T-T6",    "T-T8",   "T-T9",   "T-T10", "T-F1",  // Takase
      "T-F3",  "T-F4",  "T-F5",   "T-F6",    "T-F7",   "T-F8",    "T-F9",   "T-fn1"};
  std::set<std::string> found;
  for (const Entry* entry : entries()) found.insert(entry->id);
  EXPECT_EQ(found, wanted);
}

TEST(Catalogue, RulesNameRunsThatTheirSweepsHave) {
  for (const Entry* entry : entries()) {
    Measurements measured;
    for (const auto& sweep : entry->desk.sweeps) add_runs(sweep, measured);
    for (const Expectation& one : entry->expectations) {
      if (one.rule.text().find("curve(") != std::string::npos) continue;
      EXPECT_NO_THROW(one.rule.judge(measured)) << entry->id;
    }
    for (const ProbeStep& step : entry->desk.probes) {
      const bool there =
          step.config.empty()
              ? std::ranges::any_of(
                    measured.runs, [&](const MeasuredRun& run) { return run.arm == step.arm && run.seed == step.seed; })
              : std::filesystem::exists(step.config);
      EXPECT_TRUE(there) << entry->id << " " << step.name;
    }
  }
}

TEST(Catalogue, RulesNameProbesThatTheEntryMakes) {
  for (const Entry* entry : entries()) {
    std::set<std::string> subjects;
    for (const ProbeStep& step : entry->desk.probes) {
      if (step.compare.empty()) subjects.insert(step.name);
      subjects.insert(step.compare.begin(), step.compare.end());
    }
    for (const auto& file : entry->desk.records) {
      for (const MeasuredCurve& curve : measured_curves(file, "")) subjects.insert(curve.of);
    }
    for (const Expectation& one : entry->expectations) {
      const std::string& text = one.rule.text();
      for (size_t at = text.find("curve("); at != std::string::npos; at = text.find("curve(", at + 1)) {
        EXPECT_TRUE(subjects.contains(text.substr(at + 6, text.find(',', at) - at - 6))) << entry->id << ": " << text;
      }
    }
  }
}

TEST(Catalogue, RulesAboutRecordsCanBeJudgedNow) {
  int judged = 0;
  for (const Entry* entry : entries()) {
    if (entry->desk.records.empty() || !entry->desk.sweeps.empty() || !entry->desk.probes.empty()) continue;
    Measurements measured;
    for (const auto& file : entry->desk.records) {
      for (MeasuredCurve& curve : measured_curves(file, "")) measured.curves.push_back(std::move(curve));
    }
    EXPECT_NO_THROW(judge(*entry, measured)) << entry->id;
    ++judged;
  }
  EXPECT_GE(judged, 7);
}

// `plumb train CONFIG --set a=b ...` at the papers' size: what cannot be run here must at least load.
TEST(Catalogue, CommandsAtThePapersSizeLoad) {
  int loaded = 0;
  for (const Entry* entry : entries()) {
    for (const std::string& command : entry->paper_scale.commands) {
      std::vector<std::string> words;
      std::string word;
      bool quoted = false;
      for (const char c : command + " ") {
        if (c == '"') quoted = !quoted;
        if (c == ' ' && !quoted) {
          words.push_back(word);
          word.clear();
        } else if (c != '"') {
          word += c;
        }
      }
      ASSERT_GE(words.size(), 3u) << command;
      EXPECT_EQ(words[0], "plumb") << command;
      if (words[1] == "sweep") {
        EXPECT_NO_THROW(sweep::read_sweep(words[2])) << command;
        ++loaded;
      } else if (words[1] == "finetune") {  // its config loads only beside the run that it starts from
        EXPECT_TRUE(std::filesystem::exists(words[2])) << command;
      } else if (words[2].ends_with(".toml")) {
        std::vector<std::string> overrides;
        for (size_t i = 3; i + 1 < words.size(); ++i) {
          if (words[i] == "--set") overrides.push_back(words[i + 1]);
        }
        EXPECT_NO_THROW(load_config(words[2], overrides)) << command;
        ++loaded;
      }
    }
  }
  EXPECT_GE(loaded, 60);
}

// Nothing is left for it to do once the other is done: a sweep is trained once.
bool comes_with(const Entry& entry, const Entry& other) {
  const auto has_all = [](const Entry& of, const Entry& in) {
    return std::ranges::all_of(of.desk.sweeps, [&](const auto& sweep) {
      return std::ranges::find(in.desk.sweeps, sweep) != in.desk.sweeps.end();
    });
  };
  if (&entry == &other || !entry.desk.probes.empty() || !has_all(entry, other)) return false;
  return !has_all(other, entry) || other.id < entry.id;
}

TEST(Catalogue, AWholeDeskSuiteTakesAtMostTwelveHoursOfTwoCores) {
  // Sweeps that entries share in part are still counted in full for each, so the sum is an upper bound.
  const std::vector<const Entry*> all = entries();
  double minutes = 0;
  for (const Entry* entry : all) {
    if (std::ranges::any_of(all, [&](const Entry* other) { return comes_with(*entry, *other); })) continue;
    minutes += entry->desk.minutes;
  }
  EXPECT_GT(minutes, 60);
  EXPECT_LE(minutes, 12 * 60 * 2);
}

TEST(Catalogue, UnknownIdsNameTheNearest) {
  try {
    chosen_entries(papers(), {"X-F2c"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Did you mean X-F2a?"));
  }
}

TEST(Catalogue, FiguresComeInTheOrderOfTheirNumbers) {
  std::vector<std::string> ids;
  for (const Paper& paper : papers()) {
    if (paper.name == "liu") {
      for (const Entry& entry : paper.entries) ids.push_back(entry.id);
    }
  }
  const auto place = [&](const char* id) { return std::ranges::find(ids, id) - ids.begin(); };
  EXPECT_LT(place("L-F9"), place("L-F10"));
  EXPECT_LT(place("L-F10"), place("L-F11"));
}

}  // namespace
}  // namespace plumb::reproduce
