#include "plumb/reproduce/judge.h"

#include <algorithm>

namespace plumb::reproduce {

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
  judgement.verdict = held == std::ssize(judgement.findings) ? Verdict::Reproduced
                      : held == 0                            ? Verdict::NotReproduced
                                                             : Verdict::Partly;
  return judgement;
}

}  // namespace plumb::reproduce
