#pragma once

/// The thresholds of the forecast, and what each of them is worth. docs/results/verdict.md has the runs behind the
/// rules of thumb: number words, width 64, 300 updates. Change a number here and repeat them (tools/forecast.py).
namespace plumb::probe::thresholds {

/// The smallest gradient at a sub-layer's output, relative to the largest of its stack. Liu et al. 2020 call a stack
/// balanced whose gradients stay above a fifth (Fig. 3: encoders and Pre-LN do, the Post-LN decoder does not).
constexpr double kBalanced = 0.5, kVanishing = 0.2;

/// The strain of the first updates: by how much one Adam step moves the output, relative to it and to first order.
/// Where every path from the bottom of a stack leads through norms (Post-LN and its kin), what a step adds pushes the
/// rest aside for good, and a model that was moved too far learns no more than how often each word occurs. Of the runs
/// without warm-up in the calibration half the threshold parts those that trained from those that did not best:
/// geometrically halfway between 3.37 (trained) and 3.81 (did not).
constexpr double kStrain = 3.6;

/// Where a path without norms exists (Pre-LN, ResiDual, DLCL) no run of the calibration half failed; the largest strain
/// that was tried, and trained.
constexpr double kStrainWithOpenPath = 22;

/// A fit of the shift is taken for linear or logarithmic if it explains this much more of the variance than the other.
constexpr double kBetterFit = 0.01;

/// beta_ii^2 falls as 1/i for Pre-LN and Admin and stays for Post-LN (Liu et al. 2020, 4.1).
constexpr double kFallingShare = -0.5;

}  // namespace plumb::probe::thresholds
