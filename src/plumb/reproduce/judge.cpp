#include "plumb/reproduce/judge.h"

#include <algorithm>

namespace plumb::reproduce {

Verdict verdict_of(size_t held, size_t all) {
  return held == all ? Verdict::Reproduced : held == 0 ? Verdict::NotReproduced : Verdict::Partly;
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Reproduced:
      return "reproduced";
    case Verdict::Partly:
      return "partly";
    case Verdict::NotReproduced:
      return "not reproduced";
  }
  return "";
}

Judgement judge(const Entry& entry, const Measurements& measured) {
  Judgement judgement;
  for (const Expectation& expected : entry.expectations) judgement.findings.push_back(expected.rule.judge(measured));
  const auto held = std::ranges::count(judgement.findings, true, &RuleFinding::held);
  judgement.verdict = verdict_of(static_cast<size_t>(held), judgement.findings.size());
  return judgement;
}

}  // namespace plumb::reproduce
