#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plumb/reproduce/judge.h"

namespace plumb::reproduce {

/// What is kept of a judged entry, as docs/results/reproduce/<id>.json.
struct Result {
  std::string id, fingerprint;
  EntryVerdict verdict = EntryVerdict::NotReproduced;
  struct Line {
    std::string words, rule, shown;
    bool held = false;
  };
  std::vector<Line> lines;
  double seconds = 0;                          // of training and measuring on the clock, all runs added up
  std::string date, version, commit, command;  // no commit: judged before 0.1.0 kept it, or built without git
  Measurements measured;                       // the runs, and those curves that rules speak of
};

/// A verdict holds only for the expectation that it was given under.
bool is_stale(const Result& result, const Entry& entry);

/// "reproduced", "partly", "not reproduced"; "not run" without a result; "not run (the expectation has changed)".
std::string verdict_text(const Entry& entry, const std::optional<Result>& result);

Result make_result(const Entry& entry, const Judgement& judgement, const Measurements& measured, double seconds);

/// Whole or not at all. read_result: nothing if the entry was never judged; DamagedFile if it is not whole, of another
/// entry, or has a verdict that does not follow from what it says of the rules.
void write_result(const std::filesystem::path& folder, const Result& result);
std::optional<Result> read_result(const std::filesystem::path& folder, const std::string& id);

}  // namespace plumb::reproduce
