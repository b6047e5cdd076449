#include "plumb/catalogue/probes.h"

#include <algorithm>

namespace plumb {
namespace {

using Number = ProbeRow::Number;
using enum ProbeRow::Tier;
using enum ProbeRow::Chart;

// clang-format off
constexpr Number kGradientNorm[] = {
    {"matrix", "norm of the gradient of a weight matrix, averaged over the mini-batches before the norm is taken"},
    {"layer", "norm of that gradient over all parameters of a layer"},
    {"activation", "norm of the gradient at a layer's output, mean over the mini-batches"},
    {"loss", "label-smoothed loss per token; ln(vocabulary) means that nothing is known yet"}};
constexpr Number kDepthScaling[] = {
    {"last_ffn", "norm of the gradient of W2 in the last layer's FFN, for each depth"},
    {"slope", "d ln(last_ffn) / d ln(depth): Theorem 1 says 0 for Post-LN and -0.5 for Pre-LN", Lines, {},
     "at least two depths are measured"},
    {"predicted", "the slope of Theorem 1, for the rows that it speaks of", Lines, {},
     "the variant is plain Post-LN or Pre-LN"}};
constexpr Number kHiddenState[] = {
    {"size", "mean of |x|^2 / d over tokens, at the output of each layer; layer 0 is the embedding"},
    {"sum", "the same before the layer's last norm; 1.5 for Post-LN by Lemma 2"},
    {"low", "Lemma 2, Pre-LN: 1 + l/2, the least that size can be at layer l in its setting", Bound, {.of = "size", .legend = "Lemma 2, least"},
     "the sub-layers normalise their input"},
    {"high", "Lemma 2, Pre-LN: 1 + 3l/2, the most", Bound, {.of = "size", .legend = "Lemma 2, most"},
     "the sub-layers normalise their input"},
    {"exceeding", "share of the tokens with |x|^2 more than epsilon above its mean: delta of (epsilon, delta)-bounded"},
    {"chi_square", "what delta is at most for a normal x: exp(-d epsilon^2 / 8)"}};
constexpr Number kLemmas[] = {
    {"lemma1", "E|ReLU(X)|^2 / (d/2) for normal X; Lemma 1 says 1"},
    {"lemma2_post", "E|x|^2 / d before a Post-LN layer's last norm; Lemma 2 says 1.5"},
    {"lemma2_pre", "E|x|^2 / d after l Pre-LN layers"},
    {"lemma2_low", "1 + l/2, its lower bound"},
    {"lemma2_high", "1 + 3l/2, its upper bound"},
    {"lemma3", "spectral norm of the LayerNorm Jacobian by power iteration, over sqrt(d)/|x - mean|; Lemma 3 says 1"},
    {"theorem1_post", "last-FFN gradient of Post-LN by depth; Theorem 1: independent of it"},
    {"theorem1_pre", "the same for Pre-LN; Theorem 1: as depth^-1/2"},
    {"theorem1_slope_post", "fitted exponent for Post-LN"},
    {"theorem1_slope_pre", "fitted exponent for Pre-LN"},
    {"liu_theorem1", "Post-LN encoder: gradient of the first layer's W2 over that of the last; it does not vanish, about 1"},
    {"liu_remark1", "Post-LN decoder: the factor of the gradient from a layer to the one below; well below 1"},
    {"liu_theorem2", "output shift over the sum of beta_ii^2, for each depth: Theorem 2 says a constant"}};
constexpr Number kRelativeGradient[] = {
    {"relative", "norm of the gradient at a sub-layer's output, over the largest of its stack"},
    {"factor", "by which the gradient at the FFN outputs changes from a layer to the one below (geometric mean)", Lines, {},
     "the stack has at least two layers"},
    {"smallest", "the smallest relative gradient of the stack"}};
constexpr Number kInnerGradient[] = {
    {"gradient", "norm of the gradient at points (1) to (5): before and after the norms of self- and cross-attention, before the last"},
    {"across", "gradient before a norm over that behind it: what the norm does to the gradient on its way down"}};
constexpr Number kAmplification[] = {
    {"random", "|F(W) - F(W*)|^2 when every weight moves by 1e-4 in a random direction, by depth in sub-layers", Growth},
    {"adam", "the same for one Adam step of 1e-6", Growth},
    {"adam_relative", "|F(W) - F(W*)| / |F(W)| after one Adam step, per unit of the learning rate"},
    {"r2_linear", "share of the variance that a + b N explains", Lines, {},
     "at least three depths are measured"},
    {"r2_log", "share of the variance that a + b ln N explains", Lines, {},
     "at least three depths are measured"}};
constexpr Number kDependency[] = {
    {"beta", "how much of the layer's output is the branch `from`: the ratio of their standard deviations", Map,
     {.of = "from", .legend = "βij", .title = "Dependency β", .x = "branch j (0: embedding)", .y = "sub-layer i"}},
    {"own", "beta_ii^2: the share of the newest branch in its sub-layer's output"},
    {"exponent", "of own against the index of the sub-layer: 0 for Post-LN, -1 for Pre-LN and Admin", Lines, {},
     "every branch contributes"},
    {"error", "|x - sum of its components| / |x|"},
    {"exact", "1; or 0 where a norm is not linear for given statistics (DyT), so that the shares are one choice of many"}};
constexpr Number kSimilarity[] = {
    {"cosine", "mean cosine between the outputs of layers `of` and `layer`; layer 0 is the embedding", Map,
     {.of = "of", .legend = "cosine", .title = "Similarity", .x = "layer", .y = "layer", .to_one = true}},
    {"to_last", "that of each layer's output with the last one's"}};
constexpr Number kUpdate[] = {
    {"gradient", "norm of a matrix's gradient at a checkpoint, over the largest among all matrices and checkpoints", Updates},
    {"update", "norm of what changed until the next checkpoint, over the largest", Updates},
    {"spread_gradient", "decades between the largest and the smallest gradient"},
    {"spread_update", "decades between the largest and the smallest update"}};
constexpr Number kCurvature[] = {
    {"largest", "largest eigenvalue of the Hessian (algebraic)"},
    {"smallest", "smallest one, usually negative"},
    {"largest_bound", "|beta u|: how far `largest` is from an eigenvalue at most"},
    {"smallest_bound", "the same for `smallest`"},
    {"nodes", "eigenvalue estimates of the quadrature", Part},
    {"weights", "their weights, which sum to 1", Part},
    {"density", "density of the eigenvalues, each a normal distribution of the width of the grid", Density},
    {"block_largest", "largest eigenvalue of the block of the Hessian that belongs to one part of the model", Lines, {},
     "probe.curvature_blocks is true"},
    {"adam_largest", "largest eigenvalue of P^-1/2 H P^-1/2 with P = |g|: what Adam's first steps see", Lines, {},
     "probe.curvature_adam is true"},
    {"gradient_norm", "norm of the gradient on the fixed set"},
    {"rate_quadratic", "1 / largest: the best step for a quadratic loss along that eigenvector"},
    {"rate_stable", "2 / largest: gradient descent diverges beyond it"},
    {"along_gradient", "loss after a step of gradient descent, over what the second-order expansion says (changes)"},
    {"along_top", "the same along the top eigenvector"},
    {"seconds", "time of one Hessian-vector product"},
    {"steps", "Lanczos steps"}};
constexpr Number kSignal[] = {
    {"activation", "root mean square of a layer's output"},
    {"gradient", "norm of the gradient there, over that at the last layer"},
    {"growth", "activation of the last layer over that of the first, for each depth"},
    {"decay", "gradient at the first layer over that at the last, for each depth"}};
constexpr Number kStep[] = {
    {"slope", "derivative of the loss along Adam's first step (the sign of the gradient): its 1-norm"},
    {"curvature", "second derivative along it"},
    {"rate_best", "slope / curvature: the learning rate at which the quadratic model of the loss is lowest", Lines, {},
     "the curvature is positive"},
    {"rate_stable", "twice that: beyond it the quadratic model of the loss rises", Lines, {},
     "the curvature is positive"},
    {"rate_measured", "the largest tried learning rate of one Adam step that still lowers the loss"},
    {"loss_change", "change of the loss by one Adam step, for each learning rate tried"},
    {"shift", "relative change of the output by one Adam step, for each learning rate tried"}};

constexpr ProbeRow kProbes[] = {
    {.name = "gradient_norm", .tier = Cheap, .paper = "Xiong 2020, Fig. 3a, b", .reads = "gradients of parameters and taps",
     .summary = "expected gradient per matrix and layer", .numbers = kGradientNorm},
    {.name = "hidden_state", .tier = Cheap, .paper = "Xiong 2020, Lemma 2, Def. 1", .reads = "taps",
     .summary = "size of hidden states, and how bounded it is", .numbers = kHiddenState},
    {.name = "relative_gradient", .tier = Cheap, .paper = "Liu 2020, Fig. 3", .reads = "gradients of taps",
     .summary = "gradient at every sub-layer's output, relative to the largest", .numbers = kRelativeGradient},
    {.name = "inner_gradient", .tier = Cheap, .paper = "Takase 2022, Figs. 2a, 4, 7", .reads = "gradients of taps",
     .summary = "gradient at five points inside a layer, and what each norm does to it", .numbers = kInnerGradient},
    {.name = "dependency", .tier = Cheap, .paper = "Liu 2020, Figs. 7, 8", .reads = "taps and parameters",
     .summary = "how much each output depends on each branch (beta_ij)", .numbers = kDependency},
    {.name = "similarity", .tier = Cheap, .paper = "Takase 2022, Fig. 5", .reads = "taps",
     .summary = "cosine similarity among layer outputs", .numbers = kSimilarity},
    {.name = "depth_scaling", .tier = Medium, .paper = "Xiong 2020, Fig. 3c, d", .reads = "gradients of parameters",
     .summary = "last-FFN gradient against depth", .numbers = kDepthScaling},
    {.name = "amplification", .tier = Medium, .paper = "Liu 2020, Fig. 4", .reads = "parameters and outputs",
     .summary = "output shift by small changes of the weights, against depth", .numbers = kAmplification},
    {.name = "signal", .tier = Medium, .paper = "Plumb", .reads = "taps and their gradients",
     .summary = "scale of activations and gradients over several depths: is the wiring flat?", .numbers = kSignal},
    {.name = "step", .tier = Medium, .paper = "Plumb; LeCun 1993", .reads = "gradients, losses, Hessian-vector product",
     .summary = "which learning rate the curvature along Adam's first step supports", .numbers = kStep},
    {.name = "lemmas", .tier = Medium, .paper = "Xiong 2020; Liu 2020", .reads = "taps, gradients, Jacobians",
     .summary = "the lemmas and theorems in their own setting (regime T)", .numbers = kLemmas, .own_setting = true},
    {.name = "curvature", .tier = Heavy, .paper = "Zhang & Mackey 2022", .reads = "Hessian-vector products",
     .summary = "Hessian spectrum by Lanczos, both ends, per block, and how quadratic the loss is", .numbers = kCurvature},
    {.name = "update", .tier = Heavy, .paper = "Liu 2020, Figs. 5, 11", .reads = "checkpoints of a run",
     .summary = "relative gradients and updates per matrix over a run", .numbers = kUpdate, .needs = ProbeRow::Needs::Run},
};
// clang-format on

constexpr std::string_view kTiers[] = {"cheap", "medium", "heavy"};
constexpr std::string_view kCharts[] = {"lines", "map", "growth", "density", "updates", "bound", "part"};

}  // namespace

const std::string_view kTheoryPost = "post_ln", kTheoryPre = "pre_ln";

std::span<const std::string_view> wirings_to_suggest() {
  static constexpr std::string_view kRows[] = {"post_ln", "pre_ln", "b2t", "admin", "deepnorm"};
  return kRows;
}

std::span<const ProbeRow> probes() {
  return kProbes;
}

const ProbeRow* find_probe(std::string_view name) {
  const auto row = std::ranges::find(kProbes, name, &ProbeRow::name);
  return row == std::end(kProbes) ? nullptr : row;
}

const Number* find_number(std::string_view probe, std::string_view number) {
  const ProbeRow* row = find_probe(probe);
  if (!row) return nullptr;
  const auto found = std::ranges::find(row->numbers, number, &Number::name);
  return found == row->numbers.end() ? nullptr : &*found;
}

std::string_view word(ProbeRow::Chart chart) {
  return kCharts[static_cast<size_t>(chart)];
}

std::string_view word(ProbeRow::Tier tier) {
  return kTiers[static_cast<size_t>(tier)];
}

}  // namespace plumb
