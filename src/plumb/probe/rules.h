#pragma once

#include <string_view>

/// The thresholds of the verdict, and what each of them is worth. docs/results/verdict.md has the runs behind the rules
/// of thumb: number words, width 64, 300 updates. Change a number here and repeat them (tools/forecast.py).
namespace plumb::rules {

/// What a statement rests on.
enum class Ground { Theory, Measured, RuleOfThumb };
std::string_view in_words(Ground ground);

/// The smallest gradient at a sub-layer's output, relative to the largest of its stack. Liu et al. 2020 call a stack
/// balanced whose gradients stay above a fifth (Fig. 3: encoders and Pre-LN do, the Post-LN decoder does not).
constexpr double kBalanced = 0.5, kVanishing = 0.2;

/// The strain of the first updates: relative shift of the output per Adam step (to first order), over the smallest
/// relative gradient of the last stack. Large steps move the output far, and small gradients in low layers mean that
/// what moves it is not what learns. Of the runs without warm-up in the calibration half, the threshold that parts
/// those that trained from those that did not best: geometrically halfway between 35.6 (trained) and 39 (did not).
constexpr double kStrain = 37;

/// A fit of the shift is taken for linear or logarithmic if it explains this much more of the variance than the other.
constexpr double kBetterFit = 0.01;

/// beta_ii^2 falls as 1/i for Pre-LN and Admin and stays for Post-LN (Liu et al. 2020, 4.1).
constexpr double kFallingShare = -0.5;

}  // namespace plumb::rules
