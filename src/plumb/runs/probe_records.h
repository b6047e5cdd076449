#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "plumb/runs/log_records.h"

/// The records of probe.jsonl, as log_records.h has those of log.jsonl: every struct lists its fields once.
namespace plumb {

/// Every other text of a record, by its key: {stack: encoder}, {matrix: fc2}.
using OtherTexts = std::map<std::string, std::string>;

using Numbers = std::vector<double>;

/// Whose the records after it are.
struct SubjectRecord {
  static constexpr std::string_view kType = "subject", kHelp = "before the records of each variant";
  std::string of, variant, sample, config;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("of", r.of, "config or run directory that was probed");
    visit("variant", r.variant, "variant");
    visit("sample", r.sample, "where the batches come from");
    visit("config", r.config, "effective configuration, TOML");
  }
};

/// One number of one seed.
struct ReadingRecord {
  static constexpr std::string_view kType = "reading", kHelp = "every number of every seed";
  Count seed;
  std::string probe, variant, number;
  OtherTexts labels;
  OtherNumbers place;
  Number value;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("seed", r.seed, "seed of the model");
    visit("probe", r.probe, "probe");
    visit("variant", r.variant, "variant");
    visit("number", r.number, "number, as in [probes.md](probes.md)");
    visit("value", r.value, "its value");
    visit("", r.labels, "which of several: `stack` = `encoder`, `matrix` = `fc2`");
    visit("", r.place, "place on its axis, if it has one: `layer` = 3");
  }
};

/// A number along its axis, over the seeds.
struct CurveRecord {
  static constexpr std::string_view kType = "curve", kHelp = "every number, over the seeds";
  std::string probe, variant, number;
  std::optional<std::string> axis;
  std::optional<Numbers> at;
  Numbers mean, deviation, low, high;
  Count seeds;
  OtherTexts labels;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("probe", r.probe, "probe");
    visit("variant", r.variant, "variant");
    visit("number", r.number, "number, as in [probes.md](probes.md)");
    visit("axis", r.axis, "axis; absent for a single number");
    visit("at", r.at, "places on the axis, ascending");
    visit("mean", r.mean, "mean over the seeds at each place");
    visit("deviation", r.deviation, "standard deviation over the seeds");
    visit("low", r.low, "lower end of the 95 % interval of the mean; `\"-Infinity\"` with one seed");
    visit("high", r.high, "its upper end");
    visit("seeds", r.seeds, "how many seeds");
    visit("", r.labels, "which of several: `stack` = `encoder`, `matrix` = `fc2`");
  }
};

/// What the numbers of one variant mean for training.
struct VerdictRecord {
  static constexpr std::string_view kType = "verdict", kHelp = "the forecast of each variant";
  std::string variant;
  nlohmann::json verdict;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("variant", r.variant, "variant");
    visit("verdict", r.verdict, "the forecast: numbers, and sentences with their rules");
  }
};

using ProbeRecord = std::variant<SubjectRecord, ReadingRecord, CurveRecord, VerdictRecord>;

nlohmann::json to_json(const ProbeRecord& record);

/// The way back; nothing if it is none of them. Tolerant: a field that is absent or of another type is not there, and
/// what is no number in a list is NaN. Strict: a field of another type makes it no record.
enum class FieldReading { Strict, Tolerant };
std::optional<ProbeRecord> probe_record_of(const nlohmann::json& value, FieldReading reading);

/// Whether the line is a reading, without parsing it: most lines are, and who wants means need not wait for them.
bool is_reading(std::string_view line);

}  // namespace plumb
