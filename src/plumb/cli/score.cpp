// plumb score METRIC --ref FILE [--hyp FILE]: how good lines are, measured against references.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/table.h"
#include "plumb/base/unicode.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/cli/read_lines.h"
#include "plumb/config/suggestion.h"
#include "plumb/metric/bootstrap.h"
#include "plumb/metric/measure.h"
#include "plumb/metric/signature.h"

namespace plumb {
namespace {

using nlohmann::json;

struct ScoreRequest {
  std::string metric;
  std::vector<std::string> references;
  std::string hypotheses, baseline;
  std::vector<std::pair<std::string, std::string>> sets;
  std::string tokenize = "13a", smooth;
  bool lowercase = false, stem = false, confidence = false, json = false;
};

/// The texts of one test set: `references[i]` are those of line i.
struct TestSet {
  std::string name;
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
};

const MetricRow& metric_row(const std::string& name) {
  if (const MetricRow* row = find_metric(name)) return *row;
  throw UserError("score", fmt::format("there is no metric {}", name),
                  did_you_mean(name, metric_names()) + "`plumb list metrics` shows what there is");
}

/// `own_options` are those of single metrics that were given.
void check(const ScoreRequest& request, const MetricRow& row, const std::vector<std::string>& own_options) {
  const std::string where = fmt::format("score {}", row.name);
  if (request.references.empty() && request.sets.empty()) {
    throw UserError(where, "there is nothing to compare with", "Give --ref FILE, or --set REF HYP for each test set");
  }
  if (request.references.size() > 1 && !row.several_references) {
    throw UserError(where, fmt::format("{} takes one reference per line", row.name), "Give --ref once");
  }
  for (const std::string& option : own_options) {
    const auto takes = [&](const MetricRow& one) {
      return std::ranges::find(one.options, option) != one.options.end();
    };
    if (takes(row)) continue;
    throw UserError(where, fmt::format("{} belongs to {}", option, std::ranges::find_if(metrics(), takes)->name),
                    "Leave it out");
  }
}

MeasureOptions measure_options(const ScoreRequest& request) {
  const bool tokenised = request.tokenize == "none";
  // Tokenised BLEU without smoothing is the number that papers got from multi-bleu.perl.
  const std::string smooth = !request.smooth.empty() ? request.smooth : tokenised ? "none" : "exp";
  MeasureOptions options;
  options.lowercase = request.lowercase;
  options.stem = request.stem;
  options.tokenizer = tokenised ? BleuTokenizer::None : BleuTokenizer::Mteval13a;
  options.smoothing = smooth == "none"    ? BleuSmoothing::None
                      : smooth == "floor" ? BleuSmoothing::Floor
                      : smooth == "add-k" ? BleuSmoothing::AddK
                                          : BleuSmoothing::Exp;
  return options;
}

// A score over lines that do not belong together is worse than none, so nothing is cut or padded.
std::vector<std::string> read_as_many(const std::string& path, size_t wanted, const std::string& as) {
  std::vector<std::string> lines = read_lines(path);
  if (lines.size() != wanted) {
    throw UserError(path.empty() ? "stdin" : path, fmt::format("has {} lines, but {} has {}", lines.size(), as, wanted),
                    "Each line needs its counterpart; an empty line counts");
  }
  return lines;
}

// Any other word would silently count as negative and give a wrong score.
void check_labels(const MetricRow& row, const std::string& path, const std::vector<std::string>& lines) {
  if (!row.binary_labels) return;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view label = strip_spaces(lines[i]);
    if (label == "0" || label == "1") continue;
    throw UserError(fmt::format("{}:{}", path.empty() ? "stdin" : path, i + 1),
                    fmt::format("the label is {}, not 0 or 1", label.empty() ? "missing" : label),
                    "Write 1 for the positive class and 0 for the other; accuracy takes any labels");
  }
}

// Edit distances and longest common subsequences take the product of the two lengths: days for a file that lost its
// line ends.
void check_lengths(const MetricRow& row, const std::string& path, const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references) {
  constexpr size_t kMost = size_t{1} << 37;  // bytes times bytes, a few minutes
  if (!row.quadratic_time) return;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    for (const std::string& reference : references[i]) {
      if (hypotheses[i].size() * reference.size() <= kMost) continue;
      throw UserError(fmt::format("{}:{}", path.empty() ? "stdin" : path, i + 1),
                      fmt::format("{} takes too long for lines of {} and {} bytes", row.name, hypotheses[i].size(),
                                  reference.size()),
                      "Break the lines, or use bleu or chrf");
    }
  }
}

TestSet read_set(const MetricRow& row, const std::vector<std::string>& references, const std::string& hypotheses) {
  TestSet set;
  set.name = hypotheses.empty() ? "stdin" : hypotheses;
  for (const std::string& path : references) {
    std::vector<std::string> lines =
        &path == &references.front() ? read_lines(path) : read_as_many(path, set.references.size(), references.front());
    check_labels(row, path, lines);
    set.references.resize(lines.size());
    for (size_t i = 0; i < lines.size(); ++i) set.references[i].push_back(std::move(lines[i]));
  }
  set.hypotheses = read_as_many(hypotheses, set.references.size(), references.front());
  check_labels(row, hypotheses, set.hypotheses);
  check_lengths(row, hypotheses, set.hypotheses, set.references);
  return set;
}

Score score_of(const TestSet& set, const Measure& measure, const std::string& reference) {
  Score score = corpus_score(measure, set.hypotheses, set.references);
  if (std::isfinite(score.value)) return score;
  throw UserError(reference, "all lines are blank, so that nothing can be an error in them", "Give another reference");
}

SentenceStatistics statistics(const Measure& measure, const std::vector<std::string>& hypotheses,
                              const std::vector<std::vector<std::string>>& references) {
  SentenceStatistics rows;
  for (size_t i = 0; i < hypotheses.size(); ++i) rows.push_back(measure.count(hypotheses[i], references[i]));
  return rows;
}

/// One score over the resamples, by its name.
using Interval = std::pair<std::string, Resampled>;

// The metric's score first, and then the parts of it that are scores of their own.
std::vector<Interval> intervals(const MetricRow& row, const Measure& measure, const TestSet& set) {
  const auto scores = [&](std::span<const double> sum) {
    const Score score = measure.score(sum);
    std::vector<double> values{score.value};
    for (const std::string& name : measure.scores) {
      values.push_back(std::ranges::find(score.parts, name, &std::pair<std::string, double>::first)->second);
    }
    return values;
  };
  const std::vector<Resampled> found = bootstrap(statistics(measure, set.hypotheses, set.references), scores);
  std::vector<Interval> named{{std::string(row.name), found.front()}};
  for (size_t i = 0; i < measure.scores.size(); ++i) named.emplace_back(measure.scores[i], found[i + 1]);
  return named;
}

PairedBootstrap compare(const Measure& measure, const TestSet& set, const std::vector<std::string>& baseline) {
  return paired_bootstrap(statistics(measure, set.hypotheses, set.references),
                          statistics(measure, baseline, set.references),
                          [&](std::span<const double> sum) { return measure.score(sum).value; });
}

json as_json(const Score& score) {
  json parts = json::object();
  for (const auto& [name, value] : score.parts) {
    const auto whole = static_cast<int64_t>(value);  // a count is written as one: 26, not 26.0
    if (static_cast<double>(whole) == value) {
      parts[name] = whole;
    } else {
      parts[name] = value;
    }
  }
  return {{"score", score.value}, {"parts", parts}};
}

json as_json(const Resampled& one) {
  return {{"score", one.score}, {"mean", one.mean}, {"interval", {one.low, one.high}}};
}

std::string as_text(std::span<const Interval> rows) {
  Table table({{"95 % of the resampled test sets"},
               {"score", Table::Align::Right},
               {"mean", Table::Align::Right},
               {"from", Table::Align::Right},
               {"to", Table::Align::Right}});
  for (const auto& [name, one] : rows) {
    const auto number = [](double value) { return fmt::format("{:.2f}", value); };
    table.add_row({name, number(one.score), number(one.mean), number(one.low), number(one.high)});
  }
  return table.to_string();
}

std::string as_text(const PairedBootstrap& pair) {
  return as_text(std::vector<Interval>{{"system", pair.system}, {"baseline", pair.baseline}}) +
         fmt::format("difference = {:+.2f}, p = {:.4f}\n", pair.system.score - pair.baseline.score, pair.p_value);
}

int score_one(const ScoreRequest& request, const MetricRow& row, const Measure& measure) {
  const TestSet set = read_set(row, request.references, request.hypotheses);
  const Score score = score_of(set, measure, request.references.front());
  json record = as_json(score);
  std::string text = score.line + "\n", resampling;
  if (!request.baseline.empty()) {
    const auto baseline = read_as_many(request.baseline, set.hypotheses.size(), request.references.front());
    check_labels(row, request.baseline, baseline);
    check_lengths(row, request.baseline, baseline, set.references);
    score_of({request.baseline, baseline, set.references}, measure, request.references.front());  // is there one?
    const PairedBootstrap pair = compare(measure, set, baseline);
    text += as_text(pair);
    record.update(as_json(pair.system));
    record["baseline"] = as_json(pair.baseline);
    record["p_value"] = pair.p_value;
    resampling = bootstrap_settings();
  }
  if (request.confidence) {
    const std::vector<Interval> found = intervals(row, measure, set);
    const std::span<const Interval> parts = std::span(found).subspan(1);
    text += as_text(parts.empty() ? std::span(found) : parts);  // where there are parts, the score is one of them
    record.update(as_json(found.front().second));
    for (const auto& [name, one] : parts) record["intervals"][name] = as_json(one);
    resampling = bootstrap_settings();
  }
  record["metric"] = row.name;
  record["signature"] = signature(request.references.size(), measure.settings, resampling);
  text += fmt::format("signature: {}\n", record["signature"].get<std::string>());
  print(request.json ? to_json_line(record) + "\n" : text);
  return 0;
}

// The plain mean of the sets, as papers average over test sets: each counts the same, whatever its size.
int score_sets(const ScoreRequest& request, const MetricRow& row, const Measure& measure) {
  json sets = json::array();
  std::string text;
  double sum = 0;
  for (const auto& [reference, hypotheses] : request.sets) {
    const TestSet set = read_set(row, {reference}, hypotheses);
    const Score score = score_of(set, measure, reference);
    text += fmt::format("{}: {}\n", set.name, score.line);
    sets.push_back(as_json(score));
    sets.back().update({{"ref", reference}, {"hyp", hypotheses}});
    sum += score.value;
  }
  const double average = sum / static_cast<double>(request.sets.size());
  const std::string how = signature(1, measure.settings);
  text += fmt::format("average = {:.2f}\nsignature: {}\n", average, how);
  const json record = {{"metric", row.name}, {"score", average}, {"sets", sets}, {"signature", how}};
  print(request.json ? to_json_line(record) + "\n" : text);
  return 0;
}

}  // namespace

int score_command(int argc, char** argv) {
  ScoreRequest request;
  CLI::App app;
  app.add_option("METRIC", request.metric, fmt::format("one of {}", fmt::join(metric_names(), ", ")))->required();
  CLI::Option* ref = app.add_option("--ref", request.references, "reference lines; again for a second reference");
  ref->allow_extra_args(false);
  CLI::Option* hyp = app.add_option("--hyp", request.hypotheses, "the lines to score (default: stdin)");
  CLI::Option* baseline =
      app.add_option("--baseline", request.baseline, "another system's lines: is the difference luck?");
  CLI::Option* confidence =
      app.add_flag("--confidence", request.confidence, "95 % interval of the score: 1000 resampled test sets")
          ->excludes(baseline);
  app.add_option("--set", request.sets,
                 "reference and hypotheses of one test set; again for the next, and their average")
      ->type_name("REF HYP")
      ->allow_extra_args(false)
      ->excludes(ref)
      ->excludes(hyp)
      ->excludes(baseline)
      ->excludes(confidence);
  CLI::Option* tokenize =
      app.add_option("--tokenize", request.tokenize, "bleu: 13a, or none for tokenised text as in multi-bleu.perl")
          ->check(CLI::IsMember({"13a", "none"}));
  CLI::Option* smooth = app.add_option("--smooth", request.smooth,
                                       "bleu: exp, floor, add-k or none (default: exp, or none for tokenised text)")
                            ->check(CLI::IsMember({"exp", "floor", "add-k", "none"}));
  CLI::Option* stem = app.add_flag("--stem", request.stem,
                                   "rouge: compare the stems of words (Porter), as rouge-score with use_stemmer");
  app.add_flag("--lowercase", request.lowercase, "ignore case");
  app.add_flag("--json", request.json, "machine-readable, on one line");
  if (!parse_arguments(app, argc, argv)) return 0;

  const MetricRow& row = metric_row(request.metric);
  std::vector<std::string> own_options;
  for (const CLI::Option* option : {tokenize, smooth, stem}) {
    if (option->count() > 0) own_options.push_back(option->get_name());
  }
  check(request, row, own_options);
  const Measure measure = make_measure(row.name, measure_options(request));
  return request.sets.empty() ? score_one(request, row, measure) : score_sets(request, row, measure);
}

}  // namespace plumb
