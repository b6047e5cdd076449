#include "oracle/norm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "oracle/matrix.h"

namespace oracle {
namespace {

double mean(const Row& x) {
  double sum = 0.0;
  for (double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double root(double square, double epsilon, Bug bug) {
  return bug == Bug::EpsilonOutsideRoot ? std::sqrt(square) + epsilon : std::sqrt(square + epsilon);
}

}  // namespace

Row layer_norm(const Row& x, const Row& weight, const Row* bias, double epsilon, Bug bug) {
  const double mu = mean(x);
  double squares = 0.0;
  for (double value : x) squares += (value - mu) * (value - mu);
  const double n = static_cast<double>(x.size());
  const double variance = squares / (bug == Bug::UnbiasedVariance ? n - 1.0 : n);
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = weight[i] * (x[i] - mu) / root(variance, epsilon, bug);
    if (bias != nullptr) y[i] += (*bias)[i];
  }
  return y;
}

Row rms_norm(const Row& x, const Row& weight, double epsilon, Bug bug) {
  const double shift = bug == Bug::RmsNormSubtractsMean ? mean(x) : 0.0;
  double squares = 0.0;
  for (double value : x) squares += (value - shift) * (value - shift);
  const double mean_square = squares / static_cast<double>(x.size());
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = weight[i] * (x[i] - shift) / root(mean_square, epsilon, bug);
  return y;
}

Row scale_norm(const Row& x, double gain, Bug bug) {
  double length = std::sqrt(dot(x, x));
  if (bug == Bug::ScaleNormByRms) length /= std::sqrt(static_cast<double>(x.size()));
  Row y;
  for (double value : x) y.push_back(gain * value / std::max(length, 1e-5));
  return y;
}

Row dyt(const Row& x, double alpha, const Row& weight, const Row* bias, Bug bug) {
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double squashed = bug == Bug::DytAlphaOutsideTanh ? alpha * std::tanh(x[i]) : std::tanh(alpha * x[i]);
    y[i] = weight[i] * squashed + (bias != nullptr ? (*bias)[i] : 0.0);
  }
  return y;
}

Matrix normalise(const Context& context, const std::string& kind, const std::string& name, const Matrix& x,
                 double epsilon) {
  Reader& weights = context.weights;
  const std::size_t n = x.at(0).size();
  const Row& weight = weights.at(name + ".weight", kind == "scale" ? 1 : n);
  Matrix y;
  for (const Row& row : x) {
    if (kind == "layer") {
      const double eps = epsilon < 0.0 ? kLayerNormEpsilon : epsilon;
      y.push_back(layer_norm(row, weight, weights.find(name + ".bias", n), eps, context.bug));
    } else if (kind == "rms") {
      y.push_back(rms_norm(row, weight, epsilon < 0.0 ? kRmsNormEpsilon : epsilon, context.bug));
    } else if (kind == "scale") {
      y.push_back(scale_norm(row, weight[0], context.bug));
    } else if (kind == "dyt") {
      const double alpha = weights.at(name + ".alpha", 1)[0];
      y.push_back(dyt(row, alpha, weight, weights.find(name + ".bias", n), context.bug));
    } else {
      throw std::invalid_argument("oracle: unknown norm " + kind);
    }
  }
  return y;
}

}  // namespace oracle
