#include "plumb/reproduce/render.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/base/progress.h"
#include "plumb/base/table.h"

namespace plumb::reproduce {
namespace {

std::optional<Result> result_of(const Entry& entry, const Results& results) {
  const auto found = results.find(entry.id);
  return found == results.end() ? std::nullopt : std::optional(found->second);
}

// In a cell of a Markdown table.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string time_text(const Entry& entry, const std::optional<Result>& result) {
  if (result && !is_stale(*result, entry)) return result->seconds < 1 ? "at once" : duration_text(result->seconds);
  if (!entry.can_run()) return "";
  return entry.desk.minutes > 0 ? "about " + duration_text(entry.desk.minutes * 60) : "seconds";
}

// Who wrote the rules knew the records: that is less than a forecast that came true, and must be seen.
std::string shown_verdict(const Entry& entry, const std::optional<Result>& result) {
  const bool judged = result && !is_stale(*result, entry);
  return verdict_text(entry, result) + (judged && !entry.desk.records.empty() ? ", on earlier records" : "");
}

/// One arm over its seeds, for people.
struct ArmLine {
  std::string arm, outcomes, loss, share;
};

// The last validation losses against what a unigram model has: whether the runs learnt, whatever their outcome.
std::string unigram_shares(const std::vector<const MeasuredRun*>& runs) {
  std::vector<double> shares;
  for (const MeasuredRun* run : runs) {
    const auto loss = run->numbers.find("last_loss"), entropy = run->numbers.find("entropy");
    if (loss == run->numbers.end() || entropy == run->numbers.end()) continue;
    const std::optional<double> share = unigram_share(loss->second, entropy->second);
    if (share && std::isfinite(*share)) shares.push_back(100 * *share);
  }
  if (shares.empty()) return "";
  const auto [low, high] = std::ranges::minmax(shares);
  const std::string first = fmt::format("{:.0f}", low), last = fmt::format("{:.0f}", high);
  return (first == last ? first : first + " to " + last) + " %";
}

std::vector<ArmLine> arm_lines(const std::vector<MeasuredRun>& runs) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const MeasuredRun*>> arms;
  for (const MeasuredRun& run : runs) {
    if (!arms.contains(run.arm)) order.push_back(run.arm);
    arms[run.arm].push_back(&run);
  }
  std::vector<ArmLine> lines;
  for (const std::string& arm : order) {
    std::map<std::string, int> outcomes;
    std::vector<double> losses;
    for (const MeasuredRun* run : arms[arm]) {
      ++outcomes[std::string(state_name(run->outcome))];
      const auto loss = run->numbers.find("loss");
      if (loss != run->numbers.end() && std::isfinite(loss->second)) losses.push_back(loss->second);
    }
    std::vector<std::string> counts;
    for (const auto& [outcome, count] : outcomes) counts.push_back(fmt::format("{} {}", count, outcome));
    // A failure is never left out of a mean: then there is none.
    std::string loss =
        fmt::format("none: {} of {} have no finite loss", arms[arm].size() - losses.size(), arms[arm].size());
    if (losses.size() == arms[arm].size()) {
      double mean = 0, squares = 0;
      for (double one : losses) mean += one / static_cast<double>(losses.size());
      for (double one : losses) squares += (one - mean) * (one - mean);
      loss = fmt::format("{:.3f}", mean);
      if (losses.size() > 1)
        loss += fmt::format(" ± {:.3f}", std::sqrt(squares / (static_cast<double>(losses.size()) - 1)));
    }
    lines.push_back({arm, fmt::format("{}", fmt::join(counts, ", ")), loss, unigram_shares(arms[arm])});
  }
  return lines;
}

std::string expectations_table(const Entry& entry, const std::optional<Result>& result) {
  std::string text = "| expected | rule | measured | holds |\n|---|---|---|---|\n";
  const bool judged = result && !is_stale(*result, entry);
  for (size_t i = 0; i < entry.expectations.size(); ++i) {
    const Expectation& expected = entry.expectations[i];
    text += fmt::format("| {} | `{}` | {} | {} |\n", cell(expected.words), cell(expected.rule.text()),
                        judged ? cell(result->lines[i].shown) : "not run",
                        judged ? (result->lines[i].held ? "yes" : "**no**") : "");
  }
  return text;
}

std::string runs_table(const Result& result) {
  if (result.measured.runs.empty()) return "";
  std::string text = "\n| arm | outcome | best validation loss | last, of unigram entropy |\n|---|---|---|---|\n";
  for (const ArmLine& line : arm_lines(result.measured.runs)) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", line.arm, line.outcomes, line.loss, line.share);
  }
  return text;
}

std::string commands_block(const std::vector<std::string>& commands) {
  std::string text;
  for (const std::string& command : commands) text += "    " + command + '\n';
  return text;
}

std::string entry_section(const Entry& entry, const std::optional<Result>& result) {
  const bool judged = result && !is_stale(*result, entry);
  std::string text = fmt::format("\n## {}: {}\n\n**{}.** {}", entry.id, entry.title, entry.where, entry.claim);
  if (!entry.published.empty()) text += fmt::format(" Published: {}", entry.published);
  text += fmt::format("\n\nVerdict: **{}**", shown_verdict(entry, result));
  if (judged) {
    const auto held = std::ranges::count(result->lines, true, &Result::Line::held);
    text += fmt::format(" ({} of {} expectations hold; {}, version {})", held, result->lines.size(), result->date,
                        result->version);
  }
  text += ".\n";
  if (!entry.note.empty()) text += fmt::format("\n{}\n", entry.note);
  if (!entry.can_run()) text += fmt::format("\n{}\n", entry.desk.pointer);
  if (!entry.expectations.empty()) text += '\n' + expectations_table(entry, result);
  if (judged) text += runs_table(*result);
  if (judged && !entry.remark.empty()) text += fmt::format("\nAfter the run: {}\n", entry.remark);
  if (entry.can_run()) {
    // The clock also counts what else the machine did.
    text += fmt::format("\nOn a desk: {} Time: {}{}.\n\n    plumb reproduce {}\n", entry.desk.setting,
                        time_text(entry, result),
                        !judged               ? " of one core"
                        : result->seconds < 1 ? ""
                                              : " on the clock, all its runs added up",
                        entry.id);
  }
  if (!entry.paper_scale.commands.empty()) {
    text += fmt::format("\nAt the paper's size{}:\n\n{}",
                        entry.paper_scale.needs.empty() ? "" : " (needs " + entry.paper_scale.needs + ")",
                        commands_block(entry.paper_scale.commands));
  }
  return text;
}

}  // namespace

Results read_results(const std::filesystem::path& folder, const std::vector<Paper>& papers) {
  Results results;
  for (const Paper& paper : papers) {
    for (const Entry& entry : paper.entries) {
      if (std::optional<Result> result = read_result(folder, entry.id)) results.emplace(entry.id, std::move(*result));
    }
  }
  return results;
}

std::string paper_page(const Paper& paper, const Results& results) {
  std::string text = fmt::format(
      "# {}\n\n{}\n\nGenerated by `plumb reproduce --render` from the entries in `reproduce/{}` and the results in "
      "`docs/results/reproduce`; do not edit.\n",
      paper.title, paper.citation, paper.name);
  if (!paper.introduction.empty()) text += fmt::format("\n{}\n", paper.introduction);
  text += "\n| entry | where | what | verdict | time |\n|---|---|---|---|---|\n";
  for (const Entry& entry : paper.entries) {
    const std::optional<Result> result = result_of(entry, results);
    text += fmt::format("| {} | {} | {} | {} | {} |\n", entry.id, cell(entry.where), cell(entry.title),
                        shown_verdict(entry, result), time_text(entry, result));
  }
  for (const Entry& entry : paper.entries) text += entry_section(entry, result_of(entry, results));
  return text;
}

std::string overview_page(const std::vector<Paper>& papers, const Results& results) {
  std::string text =
      "# The papers\n\nGenerated by `plumb reproduce --render`; do not edit. How entries are made and judged: "
      "[reproduce.md](../reproduce.md).\n\n| paper | entries | reproduced | partly | not reproduced | not run "
      "|\n|---|---|---|---|---|---|\n";
  for (const Paper& paper : papers) {
    std::map<std::optional<EntryVerdict>, int> counts;  // by verdict; none: not run
    for (const Entry& entry : paper.entries) {
      const std::optional<Result> result = result_of(entry, results);
      const bool judged = result && !is_stale(*result, entry);
      ++counts[judged ? std::optional(result->verdict) : std::nullopt];
    }
    text += fmt::format("| [{}]({}.md) | {} | {} | {} | {} | {} |\n", paper.title, paper.name, paper.entries.size(),
                        counts[EntryVerdict::Reproduced], counts[EntryVerdict::Partly],
                        counts[EntryVerdict::NotReproduced], counts[std::nullopt]);
  }
  return text;
}

std::string list_text(const std::vector<Paper>& papers, const Results& results, size_t width) {
  Table table({{"entry"}, {"where"}, {"verdict"}, {"time", Table::Align::Right}, {"what"}});
  for (const Paper& paper : papers) {
    for (const Entry& entry : paper.entries) {
      const std::optional<Result> result = result_of(entry, results);
      const std::string verdict =
          !result || !is_stale(*result, entry) ? shown_verdict(entry, result) : "not run (stale)";
      table.add_row({entry.id, paper.name + ", " + entry.where, verdict, time_text(entry, result), entry.title});
    }
  }
  return table.to_string(width);
}

std::string result_text(const Entry& entry, const Result& result) {
  std::string text = fmt::format("{}, {}: {}\n", entry.id, entry.where, entry.title);
  for (const Result::Line& line : result.lines) {
    text += fmt::format("  {}  {}\n       {}: {}\n", line.held ? "yes" : "no ", line.words, line.rule, line.shown);
  }
  return text + fmt::format("  verdict: {}\n", verdict_name(result.verdict));
}

}  // namespace plumb::reproduce
