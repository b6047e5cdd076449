#include "plumb/nn/fold.h"

#include <string_view>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/norms.h"
#include "plumb/residual/residual.h"

namespace plumb {
namespace {

constexpr double kSmallest = 1e-6;

bool folds(const ModelConfig& model, Stack stack) {
  return model.shape().has(stack) && !stack_plan(model, stack).placement->folds_into.empty();
}

// The config of the folded model: the same keys, another row for the stacks that fold. Multipliers would only touch
// first values, which are overwritten.
ModelConfig folded_config(const ModelConfig& model) {
  ModelConfig folded = model;
  folded.placement.clear();
  folded.init_multipliers = "none";
  for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
    if (!model.shape().has(stack)) continue;
    std::string& name = stack == Stack::Encoder ? folded.encoder_variant : folded.decoder_variant;
    const Variant& old = *stack_plan(model, stack).placement;
    name = old.folds_into.empty() ? old.name : old.folds_into;
  }
  if (!model.layernorm_embedding) folded.embedding_gain = EmbeddingGain::Vector;
  return folded;
}

class Folder {
 public:
  Folder(const Transformer& from, Transformer& to) : from_(from.parameters()), to_(to.parameters()) {}

  void copy_shared() {
    for (const auto& entry : to_.entries()) {
      // A scalar gain spreads over the vector; a new gain keeps its first value, 1.
      if (from_.has(entry.spec.name)) to_.value(entry.spec.name).copy_(from_.value(entry.spec.name));
    }
  }

  void fold(const ModelConfig& model, Stack stack) {
    const StackPlan old = stack_plan(model, stack);
    check_norm(old);
    std::string before = std::string(word(stack)) + (model.layernorm_embedding ? ".layernorm_embedding" : "");
    for (int layer = 0; layer < old.shape.layers(stack); ++layer) {
      for (Sublayer sublayer : old.shape.order(stack)) {
        const at::Tensor r = skip(old, layer, sublayer);
        scale_maker(before, r);
        divide_readers(stack, layer, sublayer, r);
        before = norm_name(stack, layer, sublayer);
      }
    }
  }

 private:
  static void check_norm(const StackPlan& old) {
    if (norm_row(old.norm).takes_feature_scales()) return;
    std::vector<std::string_view> foldable;
    for (const NormRow& row : norms()) {
      if (row.takes_feature_scales()) foldable.push_back(row.name);
    }
    throw UserError(
        "model.norm",
        fmt::format("the norm {} has one scale for all features and cannot take up a skip scale", word(old.norm)),
        fmt::format("Keep the model as it is; only the norms {} can be folded", fmt::join(foldable, ", ")));
  }

  // r of one sub-layer as a vector, learned or constant.
  at::Tensor skip(const StackPlan& old, int layer, Sublayer sublayer) const {
    const std::string name = skip_scale_name(old.stack, layer, sublayer);
    if (!from_.has(name))
      return at::full({old.shape.width}, old.rule(sublayer, layer + 1).r.value, to_.values().options());
    const at::Tensor r = from_.value(name);
    if (r.abs().min().item<double>() < kSmallest) {
      throw UserError(name, "an entry is nearer to zero than 1e-6 and cannot be divided out",
                      "Keep the model as it is, or train it on");
    }
    return r;
  }

  // What made x: a norm, or at the bottom of a stack the embedding with its gain.
  void scale_maker(const std::string& name, const at::Tensor& r) {
    if (to_.has(name + ".embedding_gain")) return void(to_.value(name + ".embedding_gain").mul_(r));
    to_.value(name + ".weight").mul_(r);
    if (to_.has(name + ".bias")) to_.value(name + ".bias").mul_(r);
  }

  void divide_readers(Stack stack, int layer, Sublayer sublayer, const at::Tensor& r) {
    const std::string prefix = layer_name(stack, layer) + '.';
    const auto divide = [&](const std::string& matrix) { to_.value(prefix + matrix + ".weight").div_(r); };
    switch (sublayer) {
      case Sublayer::SelfAttention:
        for (const char* matrix : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}) divide(matrix);
        break;
      case Sublayer::CrossAttention:
        divide("encoder_attn.q_proj");
        break;
      case Sublayer::FeedForward:
        divide("fc1");
        break;
    }
  }

  const ParameterStore& from_;
  ParameterStore& to_;
};

}  // namespace

std::unique_ptr<Transformer> fold_skips(const Transformer& model) {
  at::NoGradGuard no_grad;
  auto folded = std::make_unique<Transformer>(folded_config(model.config()), /*seed=*/0, model.where());
  Folder folder(model, *folded);
  folder.copy_shared();
  for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
    if (folds(model.config(), stack)) folder.fold(model.config(), stack);
  }
  return folded;
}

}  // namespace plumb
