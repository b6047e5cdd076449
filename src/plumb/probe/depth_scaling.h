#pragma once

#include "plumb/probe/subject.h"

namespace plumb::probe {

/// Norm of the expected gradient of W2 in the last FFN of the last stack, which Theorem 1 of Xiong et al. is about.
double last_ffn_gradient(const Subject& subject);

}  // namespace plumb::probe
