// Dense helpers on [positions][features].
#pragma once

#include "oracle/oracle.h"

namespace oracle {

Matrix add(const Matrix& a, const Matrix& b);
Matrix plus_constant(const Matrix& x, double constant);
Matrix times(const Matrix& x, double factor);
Matrix times_features(const Matrix& x, const Row& factors);

// y = x W^T + b with W stored [out, in]; `bias` may be null.
Matrix linear(const Matrix& x, const Row& weight, const Row* bias);

double dot(const Row& a, const Row& b);
Row softmax(const Row& x);

}  // namespace oracle
