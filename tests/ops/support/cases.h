#pragma once

#include <vector>

#include "ops/support/derivatives.h"

namespace plumb::test {

/// How large the problems are. Small ones can be differentiated by finite differences; large ones fill several chunks,
/// blocks and threads. Both have odd widths and sequences of one token. Real ones are those of a training step.
enum class CaseSize { Small, Large, Real };

/// One list for every op that has two paths. The tests compare the fused path with the reference in double and the
/// reference with finite differences; the benchmark of the ops walks the same list.
std::vector<DerivativeCase> op_cases(CaseSize size);

}  // namespace plumb::test
