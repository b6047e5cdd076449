#pragma once

#include <vector>

#include "plumb/probe/examine.h"

namespace plumb::probe {

/// {stack, encoder}: the label that tells the curves of two stacks apart.
Labels labels_of(Stack stack);

/// The numbers that the forecast rests on. The strain is the learning rate times the relative shift of the output per
/// unit of it, to first order: how far one Adam step moves the model.
struct Strain {
  double smallest = 1;  // relative gradient, of the last stack
  double per_rate = 0;  // relative shift of the output per unit of the learning rate
  double rate = 0;
  double limit = 0;  // of the strain, for this variant

  explicit Strain(const Findings& findings);

  double value() const { return rate * per_rate; }
  double largest_rate() const { return limit / per_rate; }
  bool vanishing() const;
};

/// The probes that a Strain needs, and no others.
std::vector<const ProbeRow*> probes_of_the_forecast();

}  // namespace plumb::probe
