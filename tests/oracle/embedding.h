// x0 = [norm]( gain * (sqrt(d) E[token] + PE[position]) ), mathematics.md 1.2.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "oracle/weights.h"

namespace oracle {

// The sinusoid of convention fairseq | marian at position p.
Row sinusoid(const std::string& convention, double position, std::size_t width, Bug bug = Bug::None);

// `stack` is encoder or decoder; `tokens` names the embedding table, which may be the other stack's.
Matrix embed(const Context& context, const std::string& stack, const std::string& tokens, const std::string& norm_kind,
             const std::vector<int>& ids);

}  // namespace oracle
