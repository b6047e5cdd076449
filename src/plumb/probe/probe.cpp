#include "plumb/probe/probe.h"

#include <algorithm>

#include <c10/util/Exception.h>

namespace plumb::probe {
namespace {

constexpr Probe kProbes[] = {
    {"gradient_norm", gradient_norm},
    {"hidden_state", hidden_state},
    {"relative_gradient", relative_gradient},
    {"inner_gradient", inner_gradient},
    {"dependency", dependency},
    {"similarity", similarity},
    {"depth_scaling", depth_scaling},
    {"amplification", amplification, fit_amplification},
    {"signal", signal_scale},
    {"step", step_size},
    {"lemmas", lemmas},
    {"curvature", curvature},
    {"update", update_norms},
};

}  // namespace

const Probe& probe_of(const ProbeRow& row) {
  const auto found = std::ranges::find(kProbes, row.name, &Probe::name);
  TORCH_CHECK(found != std::end(kProbes), "no code for the probe ", std::string(row.name));
  return *found;
}

}  // namespace plumb::probe
