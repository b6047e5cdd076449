#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/reproduce/expectation_rule.h"

namespace plumb::reproduce {

/// What should come out, for people and for programs.
struct Expectation {
  std::string words;
  ExpectationRule rule;
};

/// `plumb probe` on a config, or on a run of one of the entry's sweeps.
struct ProbeStep {
  std::string name;                    // what rules call it; with `compare` its variants have their own names
  std::string config;                  // relative to the project's root, or empty
  std::string sweep, arm, checkpoint;  // of a run, when config is empty
  int64_t seed = 1;
  std::vector<std::string> set, only, compare;
};

/// One figure or table of a paper: what it claims, how to see it at the paper's size and on a desk, and what must come
/// out. One file `reproduce/<paper>/<id>.toml`; docs/reproduce.md tells how to write one.
struct Entry {
  std::string id, paper, where, title, claim, published, note;
  std::string remark;  // on the outcome: written after the run, shown beside its verdict

  struct PaperScale {
    std::string needs;
    std::vector<std::string> commands;
  } paper_scale;

  struct Desk {
    std::string setting;                        // in words
    double minutes = 0;                         // of one core, estimated
    std::vector<std::filesystem::path> sweeps;  // files for `plumb sweep`
    std::vector<ProbeStep> probes;
    std::vector<std::filesystem::path> records;  // probe.jsonl files that were measured before the rules were written
    std::string pointer;                         // instead of all these: what exists already, or what is missing
  } desk;

  std::vector<Expectation> expectations;
  std::string fingerprint;  // of everything above that decides a verdict; a result with another one is stale

  bool can_run() const { return !desk.sweeps.empty() || !desk.probes.empty() || !desk.records.empty(); }
};

/// Reads one file and parses its rules. Every mistake is a UserError that names file, line and key.
Entry read_entry(const std::filesystem::path& file);

/// The fingerprint of rules, words, records and of every setting of the runs and probes that they are about, whichever
/// file it stands in. Settings at their defaults are left out: a version with more keys does not make verdicts stale.
std::string fingerprint_of(const Entry& entry);

/// What a probe measures and how, as text: two steps with the same have the same readings.
std::string identity_of(const ProbeStep& step);

/// The name by which a sweep's runs are kept: the file's, without .toml.
std::string sweep_name(const std::filesystem::path& sweep);

}  // namespace plumb::reproduce
