#pragma once

#include <string_view>
#include <vector>

#include "plumb/catalogue/probes.h"
#include "plumb/probe/readings.h"
#include "plumb/probe/subject.h"

namespace plumb::probe {

/// A probe reads numbers off one model, and may draw conclusions from the means over several.
struct Probe {
  std::string_view name;  // of the row in catalogue/probes.cpp
  void (*measure)(const Subject& subject, Readings& out);
  /// Numbers that only the means have: the fit of a curve. Or nothing.
  void (*conclude)(const std::vector<Curve>& means, Readings& out) = nullptr;
};

/// The code of a row; every row has one.
const Probe& probe_of(const ProbeRow& row);

// One file each: probe/<name>.cpp.
void gradient_norm(const Subject& subject, Readings& out);
void hidden_state(const Subject& subject, Readings& out);
void relative_gradient(const Subject& subject, Readings& out);
void inner_gradient(const Subject& subject, Readings& out);
void dependency(const Subject& subject, Readings& out);
void similarity(const Subject& subject, Readings& out);
void depth_scaling(const Subject& subject, Readings& out);
void amplification(const Subject& subject, Readings& out);
void fit_amplification(const std::vector<Curve>& means, Readings& out);
void signal_scale(const Subject& subject, Readings& out);
void step_size(const Subject& subject, Readings& out);
void lemmas(const Subject& subject, Readings& out);
void curvature(const Subject& subject, Readings& out);
void update_norms(const Subject& subject, Readings& out);

}  // namespace plumb::probe
