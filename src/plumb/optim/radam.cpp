#include "plumb/optim/radam.h"

#include <cmath>

namespace plumb {
namespace {

double last_rho(double beta2) {
  return 2 / (1 - beta2) - 1;
}

}  // namespace

double radam_rho(double beta2, int64_t t) {
  const auto count = static_cast<double>(t);
  const double power = std::pow(beta2, count);
  return last_rho(beta2) - 2 * count * power / (1 - power);
}

double radam_rectification(double beta2, int64_t t) {
  const double rho = last_rho(beta2), rho_t = radam_rho(beta2, t);
  return std::sqrt((rho_t - 4) * (rho_t - 2) * rho / ((rho - 4) * (rho - 2) * rho_t));
}

Adam::Step Radam::step_at(int64_t t) const {
  const bool clinic = config().radam_form == RadamForm::Clinic;
  const double beta2 = config().betas[1], rho_t = radam_rho(beta2, t);
  if (clinic ? rho_t >= 5 : rho_t > 4) return {.factor = radam_rectification(beta2, t)};
  return {.kind = clinic ? Kind::None : Kind::Momentum};
}

}  // namespace plumb
