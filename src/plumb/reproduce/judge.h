#pragma once

#include <string_view>
#include <vector>

#include "plumb/reproduce/entry.h"

namespace plumb::reproduce {

/// All expectations hold, some, or none.
enum class EntryVerdict { Reproduced, Partly, NotReproduced };
EntryVerdict entry_verdict(size_t held, size_t all);
std::string_view verdict_name(EntryVerdict verdict);  // "reproduced", "partly", "not reproduced"

struct Judgement {
  EntryVerdict verdict;
  std::vector<RuleFinding> findings;  // one for each expectation
};

/// Throws UserError if something that a rule speaks of was not measured.
Judgement judge(const Entry& entry, const Measurements& measured);

}  // namespace plumb::reproduce
