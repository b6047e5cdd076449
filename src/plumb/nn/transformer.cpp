#include "plumb/nn/transformer.h"

#include <ATen/ATen.h>

#include "plumb/ops/linear.h"
#include "plumb/residual/admin_profile.h"

namespace plumb {
namespace {

std::string tokens_name(Stack stack) {
  return std::string(word(stack)) + ".embed_tokens.weight";
}
std::string output_name(Stack stack) {
  return std::string(word(stack)) + ".output_projection.weight";
}

}  // namespace

Transformer::Transformer(const ModelConfig& model) : model_(model) {
  const Shape shape = model.shape();
  if (shape.has(Stack::Encoder)) {
    const StackPlan stack = plan(model, Stack::Encoder);
    encoder_tokens_ = declare_tokens(store_, stack, model.source_vocab);
    encoder_embedding_.emplace(store_, model, stack, encoder_tokens_);
    encoder_.emplace(store_, model, stack);
  }
  if (shape.has(Stack::Decoder)) {
    const StackPlan stack = plan(model, Stack::Decoder);
    const bool shared = model.share_all_embeddings && encoder_;
    decoder_tokens_ = shared ? encoder_tokens_ : declare_tokens(store_, stack, model.target_vocab);
    if (shared) store_.alias(tokens_name(Stack::Decoder), tokens_name(Stack::Encoder));
    decoder_embedding_.emplace(store_, model, stack, decoder_tokens_);
    decoder_.emplace(store_, model, stack);
  }
  declare_output(plan(model, shape.has(Stack::Decoder) ? Stack::Decoder : Stack::Encoder));
}

Transformer::Transformer(const ModelConfig& model, uint64_t seed, at::ScalarType dtype) : Transformer(model) {
  allocate(seed, dtype);
}

void Transformer::allocate(uint64_t seed, at::ScalarType dtype) {
  const Shape shape = model_.shape();
  store_.allocate(dtype);
  store_.draw(seed);
  for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
    // fairseq's padding row: no token reads it, but the tied output does.
    if (shape.has(stack)) store_.value(tokens_name(stack)).select(0, kPad).zero_();
  }
  if (encoder_embedding_) encoder_embedding_->prepare(dtype);
  if (decoder_embedding_) decoder_embedding_->prepare(dtype);
}

void Transformer::declare_output(const StackPlan& last) {
  const Stack stack = last.stack;
  if (model_.share_all_embeddings || model_.share_decoder_input_output_embed) {
    output_ = stack == Stack::Decoder ? decoder_tokens_ : encoder_tokens_;
    const bool all = model_.share_all_embeddings && encoder_;
    store_.alias(output_name(stack), tokens_name(all ? Stack::Encoder : stack));
    return;
  }
  const int64_t vocabulary = stack == Stack::Decoder ? model_.target_vocab : model_.source_vocab;
  const Fill fill = last.fill(Role::OutputProjection, Sublayer::SelfAttention, 1, 0, 0);
  output_ = store_.declare({output_name(stack), {vocabulary, model_.width}, fill});
}

at::Tensor Transformer::features(const Batch& batch, const Pass& pass) const {
  const Memory memory{encode(batch.source, pass), &batch.source.rows};
  if (!decoder_) return memory.states;
  const Tokens& target = batch.target;
  return (*decoder_)((*decoder_embedding_)(target.ids, target.rows, pass), target.rows, memory, pass);
}

at::Tensor Transformer::encode(const Tokens& source, const Pass& pass) const {
  if (!encoder_) return {};
  return (*encoder_)((*encoder_embedding_)(source.ids, source.rows, pass), source.rows, {}, pass);
}

at::Tensor Transformer::logits(const at::Tensor& features) const {
  return ops::linear(features, *output_, {});
}

ops::CrossEntropy Transformer::cross_entropies(const at::Tensor& features, const at::Tensor& targets,
                                               double label_smoothing, SmoothingOver over) const {
  return ops::projected_cross_entropies(features, *output_, targets, label_smoothing, over);
}

void Transformer::profile(const Batch& batch, Pass pass) {
  const Shape shape = model_.shape();
  const auto profiled = [&](Stack stack) { return shape.has(stack) && plan(model_, stack).placement->profiled; };
  if (!profiled(Stack::Encoder) && !profiled(Stack::Decoder)) return;
  AdminProfile profile;
  at::NoGradGuard no_grad;
  pass.profile = &profile;
  features(batch, pass);
}

}  // namespace plumb
