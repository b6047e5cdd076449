#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/config/config.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// Makes updates of the parameters out of their gradients, over the flat buffers of a store.
///
/// Every optimiser here works element by element, and it does so on stretches of fixed length: temporaries stay in the
/// cache, and the bits do not depend on the number of threads. The gaps between blocks take part; their gradients and
/// values are zero and stay zero, because 0 / (sqrt(0) + eps) is.
class Optimiser {
 public:
  /// A tensor that an update leaves for the next one: flat, in the layout of the store.
  struct State {
    std::string name;
    at::Tensor values;
  };

  virtual ~Optimiser() = default;
  Optimiser(const Optimiser&) = delete;
  Optimiser& operator=(const Optimiser&) = delete;

  /// One update with `gradient_scale` times the gradients that the store holds now: a mean over tokens and clipping
  /// need no pass of their own. The gradients are not changed.
  void step(double lr, double gradient_scale = 1);

  /// How many updates were made. With state() and the parameters this is all that a checkpoint has to keep.
  int64_t steps() const { return steps_; }
  const std::vector<State>& state() const { return state_; }

  /// Continues as if this object had made those updates. The values are copied; all of them, or none if one does not
  /// fit, which is a UserError: the checkpoint is another optimiser's or another model's.
  void load_state(int64_t steps, const std::vector<State>& state);

 protected:
  /// The same elements of every buffer. `g` is already scaled and holds the part that L2 decay adds, unless the
  /// optimiser `scales_and_decays` itself.
  struct Stretch {
    at::Tensor p, g;
    std::vector<at::Tensor> state;  // in the order of the names
  };
  using Update = std::function<void(Stretch&)>;

  Optimiser(const OptimConfig& config, const ParameterStore& store, const std::vector<std::string_view>& state);

  /// What update `t`, which counts from 1, does to a stretch. Several threads may call it at once.
  virtual Update update(double lr, int64_t t, double gradient_scale) const = 0;

  /// Whether the function that update() gives does the scaling and the decay, too.
  virtual bool scales_and_decays() const { return false; }

  const OptimConfig& config() const { return config_; }
  /// Whether the kernels make this update.
  bool fused() const;

 private:
  Stretch stretch(int64_t begin, int64_t count) const;

  OptimConfig config_;
  at::Tensor values_, gradients_;
  std::vector<State> state_;
  int64_t steps_ = 0;
};

/// The optimiser that `config.name` names.
std::unique_ptr<Optimiser> make_optimiser(const OptimConfig& config, const ParameterStore& store);

}  // namespace plumb
