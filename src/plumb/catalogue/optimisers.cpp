#include "plumb/catalogue/optimisers.h"

#include <algorithm>
#include <vector>

namespace plumb {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kEpsConventions[] = {"fairseq", "torch"};
constexpr std::string_view kDecays[] = {"decoupled", "l2"};
constexpr std::string_view kRadamForms[] = {"clinic", "paper"};

constexpr std::string_view kSgdKeys[] = {"momentum", "weight_decay", "decay", "clip_norm"};
constexpr std::string_view kAdamKeys[] = {"betas", "eps", "eps_convention", "weight_decay", "decay", "clip_norm"};
constexpr std::string_view kAdamwKeys[] = {"betas", "eps", "eps_convention", "weight_decay", "clip_norm"};
constexpr std::string_view kRadamKeys[] = {"betas",        "eps",   "eps_convention", "radam_form",
                                           "weight_decay", "decay", "clip_norm"};

constexpr std::string_view kMomentum[] = {"momentum_buffer"};
constexpr std::string_view kMoments[] = {"exp_avg", "exp_avg_sq"};

// clang-format off
constexpr OptimiserRow kOptimisers[] = {
    {"sgd", "gradient descent, with momentum if optim.momentum is not 0",
     "b = momentum * b + g; p -= lr * b", kSgdKeys, kMomentum},
    {"adam", "Kingma & Ba 2015 as in fairseq: epsilon is not bias-corrected, decay is decoupled",
     "p -= lr * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps)", kAdamKeys, kMoments},
    {"adamw", "adam whose decay is always decoupled, Loshchilov & Hutter 2019",
     "p -= lr * wd * p; then as adam", kAdamwKeys, kMoments},
    {"radam", "Liu et al. 2020: adam whose step is rectified for the variance of v, which stands in for a warm-up",
     "adam's step times sqrt((rho_t - 4)(rho_t - 2) rho / ((rho - 4)(rho - 2) rho_t)), rho = 2 / (1 - b2) - 1, "
     "rho_t = rho - 2t b2^t / (1 - b2^t)", kRadamKeys, kMoments},
};
// clang-format on

}  // namespace

// clang-format off
template <> Words words<EpsConvention>() { return kEpsConventions; }
template <> Words words<Decay>() { return kDecays; }
template <> Words words<RadamForm>() { return kRadamForms; }
// clang-format on

std::span<const OptimiserRow> optimisers() {
  return kOptimisers;
}

std::span<const std::string_view> optimiser_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const OptimiserRow& row : kOptimisers) all.push_back(row.name);
    return all;
  }();
  return names;
}

const OptimiserRow* find_optimiser(std::string_view name) {
  const auto row = std::ranges::find(kOptimisers, name, &OptimiserRow::name);
  return row == std::end(kOptimisers) ? nullptr : row;
}

}  // namespace plumb
