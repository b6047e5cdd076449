#include "plumb/reproduce/judge.h"

#include <algorithm>

namespace plumb::reproduce {

EntryVerdict entry_verdict(size_t held, size_t all) {
  return held == all ? EntryVerdict::Reproduced : held == 0 ? EntryVerdict::NotReproduced : EntryVerdict::Partly;
}

std::string_view verdict_name(EntryVerdict verdict) {
  switch (verdict) {
    case EntryVerdict::Reproduced:
      return "reproduced";
    case EntryVerdict::Partly:
      return "partly";
    case EntryVerdict::NotReproduced:
      return "not reproduced";
  }
  return "";
}

Judgement judge(const Entry& entry, const Measurements& measured) {
  Judgement judgement;
  for (const Expectation& expected : entry.expectations) judgement.findings.push_back(expected.rule.judge(measured));
  const auto held = std::ranges::count(judgement.findings, true, &RuleFinding::held);
  judgement.verdict = entry_verdict(static_cast<size_t>(held), judgement.findings.size());
  return judgement;
}

}  // namespace plumb::reproduce
