#pragma once

#include "plumb/kernel/adam.h"
#include "plumb/optim/optimiser.h"

namespace plumb {

/// Adam, with decoupled decay AdamW:
///
///     m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2
///     p -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps)            fairseq
///     p -= lr / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + eps)              torch
///
/// The first step is lr * sign(g) wherever |g| is large against eps (fairseq: eps / sqrt(1 - b2)).
class Adam : public Optimiser {
 public:
  Adam(const OptimConfig& config, const ParameterStore& store);

 protected:
  using Kind = kernel::AdamStep::Kind;

  /// What becomes of the moments at update `t`, for optimisers that differ from Adam in this only.
  struct Step {
    Kind kind = Kind::Adaptive;  // Momentum: m without the division by sqrt(v)
    double factor = 1;
  };
  virtual Step step_at(int64_t) const { return {}; }

  Update update(double lr, int64_t t, double gradient_scale) const override;
  bool scales_and_decays() const override { return fused(); }

 private:
  /// p -= size m / (v_scale sqrt(v) + eps)
  struct Sizes {
    Kind kind;
    double size, v_scale;
  };
  Sizes sizes_at(double lr, int64_t t) const;

  /// The same by ATen, on any device and in any type, and by one kernel, for floats of the CPU.
  Update reference_update(const Sizes& sizes) const;
  Update fused_update(const Sizes& sizes, double lr, double gradient_scale) const;
};

}  // namespace plumb
