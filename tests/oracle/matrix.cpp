#include "oracle/matrix.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace oracle {

Matrix add(const Matrix& a, const Matrix& b) {
  if (a.size() != b.size()) throw std::logic_error("add: different numbers of positions");
  Matrix sum = a;
  for (std::size_t t = 0; t < a.size(); ++t) {
    for (std::size_t i = 0; i < a[t].size(); ++i) sum[t][i] += b[t].at(i);
  }
  return sum;
}

Matrix plus_constant(const Matrix& x, double constant) {
  Matrix y = x;
  for (Row& row : y) {
    for (double& value : row) value += constant;
  }
  return y;
}

Matrix times(const Matrix& x, double factor) {
  Matrix y = x;
  for (Row& row : y) {
    for (double& value : row) value *= factor;
  }
  return y;
}

Matrix times_features(const Matrix& x, const Row& factors) {
  Matrix y = x;
  for (Row& row : y) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= factors.at(i);
  }
  return y;
}

Matrix linear(const Matrix& x, const Row& weight, const Row* bias) {
  Matrix y;
  for (const Row& row : x) {
    const std::size_t inputs = row.size();
    const std::size_t outputs = weight.size() / inputs;
    Row result(outputs, 0.0);
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) result[o] += weight[o * inputs + i] * row[i];
      if (bias != nullptr) result[o] += bias->at(o);
    }
    y.push_back(result);
  }
  return y;
}

double dot(const Row& a, const Row& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b.at(i);
  return sum;
}

Row softmax(const Row& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  Row p;
  double total = 0.0;
  for (double value : x) {
    p.push_back(std::exp(value - largest));
    total += p.back();
  }
  for (double& value : p) value /= total;
  return p;
}

}  // namespace oracle
