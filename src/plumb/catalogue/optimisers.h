#pragma once

#include <span>
#include <string_view>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// Where Adam's epsilon stands. fairseq adds it to sqrt(v) and corrects the bias on the step size, so that early on,
/// when v is still biased towards zero, it weighs more; torch corrects v first.
enum class EpsConvention { Fairseq, Torch };

/// Decoupled: p -= lr * wd * p, outside the moments (fairseq, AdamW). L2: wd * p is added to the gradient (torch's
/// Adam).
enum class Decay { Decoupled, L2 };

/// What RAdam does while the variance of its step size is not tractable. Clinic: nothing while rho_t < 5, as in the
/// code of the Admin paper. Paper: the momentum step of Liu et al. 2020, algorithm 2, until rho_t > 4.
enum class RadamForm { Clinic, Paper };

/// One optimiser: `optim.name`. What it computes is bound to the row in optim/.
struct OptimiserRow {
  std::string_view name;
  std::string_view summary;
  std::string_view update;                  // with m and v the moments and t the count of updates from 1
  std::span<const std::string_view> keys;   // of [optim], besides name and lr
  std::span<const std::string_view> state;  // the tensors that a checkpoint keeps
};

std::span<const OptimiserRow> optimisers();
std::span<const std::string_view> optimiser_names();

/// The row of that name, or nullptr.
const OptimiserRow* find_optimiser(std::string_view name);

}  // namespace plumb
