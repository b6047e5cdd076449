// The four norms; mathematics.md 1.1 (layer), 4.1 (rms), 4.14 (scale), 4.12 (dyt).
#pragma once

#include <string>

#include "oracle/weights.h"

namespace oracle {

inline constexpr double kLayerNormEpsilon = 1e-5;
inline constexpr double kRmsNormEpsilon = 1e-6;

Row layer_norm(const Row& x, const Row& weight, const Row* bias, double epsilon, Bug bug = Bug::None);
Row rms_norm(const Row& x, const Row& weight, double epsilon, Bug bug = Bug::None);
Row scale_norm(const Row& x, double gain, Bug bug = Bug::None);
Row dyt(const Row& x, double alpha, const Row& weight, const Row* bias, Bug bug = Bug::None);

// The norm called `name` of kind layer | rms | scale | dyt, over every position. A negative epsilon means the kind's
// own.
Matrix normalise(const Context& context, const std::string& kind, const std::string& name, const Matrix& x,
                 double epsilon = -1.0);

}  // namespace oracle
