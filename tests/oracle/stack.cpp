#include "oracle/stack.h"

#include <set>
#include <stdexcept>

#include "oracle/feed_forward.h"
#include "oracle/matrix.h"
#include "oracle/norm.h"

namespace oracle {
namespace {

bool has_final_norm(const Config& config, const std::string& variant) {
  if (config.final_norm == "on") return true;
  if (config.final_norm == "off") return false;
  if (config.final_norm != "default") throw std::invalid_argument("oracle: unknown final_norm " + config.final_norm);
  // mathematics.md 2, column "final norm".
  static const std::set<std::string> with = {"pre_ln",      "dlcl_pre",         "sandwich", "normformer",
                                             "sub_ln",      "layer_scale",      "mix_ln",   "ln_scaling",
                                             "hybrid_norm", "hybrid_norm_star", "olmo2",    "dyt"};
  return with.count(variant) > 0;
}

// mathematics.md 3.7. Row l mixes y_0 .. y_l into the input of layer l (row L: into the end of the stack).
class History {
 public:
  History(const Context& context, const StackInfo& stack) : context_(context), stack_(stack) {}

  void push(const Matrix& y) {
    const std::size_t k = states_.size();
    const bool normalised = k >= 1 || context_.is(Bug::DlclNormalisesEmbedding);
    states_.push_back(stack_.variant == "dlcl_pre" && normalised ? norm(k, y) : y);
  }

  Matrix combine() const {
    const std::size_t l = states_.size() - 1;
    const std::string name = stack_.name + ".history.weights." + std::to_string(l);
    Row row = context_.weights.at(name, l + 1);
    if (context_.is(Bug::DlclSoftmaxWeights)) row = softmax(row);
    Matrix sum = times(states_[0], row[0]);
    for (std::size_t k = 1; k <= l; ++k) sum = add(sum, times(states_[k], row[k]));
    const bool normalised = l >= 1 || context_.is(Bug::DlclNormalisesEmbedding);
    return stack_.variant == "dlcl_post" && normalised ? norm(l, sum) : sum;
  }

 private:
  Matrix norm(std::size_t k, const Matrix& x) const {
    // There is no norm 0; the planted bug borrows norm 1.
    const std::string index = std::to_string(k == 0 ? 1 : k);
    return normalise(context_, stack_.norm_kind, stack_.name + ".history.layer_norms." + index, x);
  }

  const Context& context_;
  const StackInfo& stack_;
  std::vector<Matrix> states_;
};

}  // namespace

StackInfo stack_info(const Config& config, const std::string& name) {
  StackInfo info;
  const bool encoder = name == "encoder";
  info.name = name;
  info.variant = encoder ? config.encoder_variant : config.decoder_variant;
  info.depth = static_cast<std::size_t>(encoder ? config.encoder_layers : config.decoder_layers);
  info.causal = !encoder;
  info.norm_kind = config.norm;
  if (config.norm == "default") {
    info.norm_kind = "layer";
    if (info.variant == "olmo2") info.norm_kind = "rms";
    if (info.variant == "dyt") info.norm_kind = "dyt";
  }
  info.qk_norm = config.qk_norm;
  if (config.qk_norm == "default") {
    info.qk_norm = "none";
    if (info.variant == "olmo2") info.qk_norm = "full";
    if (info.variant == "hybrid_norm" || info.variant == "hybrid_norm_star") info.qk_norm = "head";
  }
  return info;
}

StackOutput run_stack(const Context& context, const StackInfo& stack, const Matrix& x0, const Matrix* memory) {
  const bool dlcl = stack.variant == "dlcl_pre" || stack.variant == "dlcl_post";
  const bool residual_dual = stack.variant == "residual_dual";
  History history(context, stack);
  if (dlcl) history.push(x0);
  const double embedding_share =
      context.is(Bug::ResidualDualWithoutEmbedding) ? 0.0 : context.config.residual_dual_scale;
  Matrix second_stream = times(x0, embedding_share);

  StackOutput result;
  result.first_layer = x0;
  Matrix x = x0;
  Matrix previous_input = x0;
  for (std::size_t l = 0; l < stack.depth; ++l) {
    if (dlcl) x = history.combine();
    const Matrix input = x;
    x = Layer(context, stack, l, memory).forward(input, previous_input, &second_stream);
    previous_input = input;
    if (dlcl) history.push(x);
    if (l == 0) result.first_layer = x;
  }
  if (dlcl) x = history.combine();

  if (stack.variant == "fixup") {
    x = shifted(context, stack.name + ".output_shift", x);
    if (stack.name == "encoder") x = times(x, context.weights.at("encoder.output_scale", 1)[0]);
  }

  result.before_final_norm = x;
  const std::string final_name = stack.name + ".layer_norm";
  if (residual_dual) {
    // 4.4: out = x + LN_f(r), with an epsilon of its own.
    const double epsilon = context.is(Bug::ResidualDualEpsilon) ? kLayerNormEpsilon : 1e-7;
    const Matrix second = normalise(context, stack.norm_kind, final_name, second_stream, epsilon);
    x = context.is(Bug::ResidualDualWithoutX) ? second : add(x, second);
  } else if (has_final_norm(context.config, stack.variant) && !context.is(Bug::MissingFinalNorm)) {
    x = normalise(context, stack.norm_kind, final_name, x);
  }
  result.output = x;
  return result;
}

}  // namespace oracle
