#include "plumb/nn/transformer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/ops/linear.h"
#include "plumb/residual/admin_profile.h"

namespace plumb {
namespace {

std::string tokens_name(Stack stack) {
  return tokens_place(stack).name("weight");
}

ParameterPlace output_place(Stack stack) {
  return {.stack = stack, .role = ParameterRole::Head, .part = "output", .module = "output_projection"};
}

bool tied_output(const ModelConfig& model) {
  return model.share_all_embeddings || model.share_decoder_input_output_embed;
}

}  // namespace

Transformer::Transformer(const ModelConfig& model) : model_(model) {
  const Shape shape = model.shape();
  if (shape.has(Stack::Encoder)) {
    const StackPlan stack = stack_plan(model, Stack::Encoder);
    if (model.input == InputKind::Frames) {
      subsampler_ = Subsampler(
          store_, {.bins = model.frame_width, .mid_channels = model.subsampler_channels, .width = model.width});
    } else {
      encoder_words_ = declare_words(stack, model.source_vocab);
    }
    encoder_embedding_.emplace(store_, model, stack, encoder_words_);
    encoder_.emplace(store_, model, stack);
  }
  if (shape.has(Stack::Decoder)) {
    const StackPlan stack = stack_plan(model, Stack::Decoder);
    decoder_words_ = declare_words(stack, model.target_vocab);
    decoder_embedding_.emplace(store_, model, stack, decoder_words_);
    decoder_.emplace(store_, model, stack);
  }
  declare_head(stack_plan(model, shape.has(Stack::Decoder) ? Stack::Decoder : Stack::Encoder));
}

Transformer::Transformer(const ModelConfig& model, uint64_t seed, const Where& where) : Transformer(model) {
  allocate(seed, where);
}

WordVectors Transformer::declare_words(const StackPlan& plan, int64_t vocabulary) {
  if (plan.stack == Stack::Decoder && model_.share_all_embeddings && encoder_words_.table) {
    store_.alias(tokens_name(Stack::Decoder), tokens_name(Stack::Encoder));
    return encoder_words_;
  }
  if (!model_.adaptive_input) return {declare_tokens(store_, plan, vocabulary)};
  return {{}, std::make_shared<AdaptiveEmbedding>(store_, model_, plan, vocabulary, tied_output(model_))};
}

void Transformer::allocate(uint64_t seed, const Where& where) {
  store_.allocate(where);
  store_.draw(seed);
  for (const WordVectors& words : {encoder_words_, decoder_words_}) {
    // fairseq's padding row: no token reads it, but the tied output does.
    if (const Parameter first = words.first_words()) first->detach().select(0, kPad).zero_();
  }
  if (encoder_embedding_) encoder_embedding_->prepare(where);
  if (decoder_embedding_) decoder_embedding_->prepare(where);
}

void Transformer::declare_head(const StackPlan& last) {
  const bool decoder = last.stack == Stack::Decoder;
  const int64_t vocabulary = decoder ? model_.target_vocab : model_.source_vocab;
  switch (model_.head) {
    case HeadKind::Classes:
      sentence_head_.emplace(store_, last, "classifier", model_.classes, model_.pooler_dropout);
      return;
    case HeadKind::MaskedWords:
      head_ = std::make_unique<MaskedHead>(store_, last, declare_output(last, vocabulary));
      if (model_.next_sentence) sentence_head_.emplace(store_, last, "next_sentence", 2, model_.pooler_dropout);
      return;
    case HeadKind::Words:
      break;
  }
  if (model_.adaptive_cutoffs.empty()) {
    head_ = std::make_unique<ProjectionHead>(declare_output(last, vocabulary));
    return;
  }
  const WordVectors& words = decoder ? decoder_words_ : encoder_words_;
  head_ = std::make_unique<AdaptiveHead>(store_, model_, last, vocabulary,
                                         tied_output(model_) ? words.bands.get() : nullptr);
}

Parameter Transformer::declare_output(const StackPlan& last, int64_t vocabulary) {
  const Stack stack = last.stack;
  if (tied_output(model_)) {
    const bool all = model_.share_all_embeddings && encoder_;
    store_.alias(output_place(stack).name("weight"), tokens_name(all ? Stack::Encoder : stack));
    return stack == Stack::Decoder ? decoder_words_.table : encoder_words_.table;
  }
  const Fill fill = last.fill(Role::OutputProjection, Sublayer::SelfAttention, 1, 0, 0);
  return store_.declare(output_place(stack), "weight", {vocabulary, model_.width}, fill);
}

void Transformer::check_there(const Tokens& tokens, const Pass& pass) const {
  const at::Device device = where().device;
  for (const at::Tensor& read : {tokens.ids, tokens.segments, tokens.frames}) {
    TORCH_CHECK(!read.defined() || read.device() == device, "the parameters are on ", device, ", but the batch is on ",
                read.device());
  }
  TORCH_CHECK(pass.where.device == device, "the parameters are on ", device, ", but the pass is on ",
              pass.where.device);
}

at::Tensor Transformer::features(const Batch& batch, const Pass& pass) const {
  check_there(batch.target, pass);
  const Encoded encoded = encode(batch.source, pass);
  if (!decoder_) return encoded.states;
  const Memory memory{encoded.states, &encoded.rows};
  return (*decoder_)((*decoder_embedding_)(batch.target, pass), batch.target.rows, memory, pass);
}

Transformer::Encoded Transformer::encode(const Tokens& source, const Pass& pass) const {
  if (!encoder_) return {};
  check_there(source, pass);
  if (subsampler_) {
    const Subsampler::States states = subsampler_(source.frames, source.rows);
    const at::Tensor x0 = encoder_embedding_->of_vectors(states.x, states.rows, pass);
    return {(*encoder_)(x0, states.rows, {}, pass), states.rows};
  }
  return {(*encoder_)((*encoder_embedding_)(source, pass), source.rows, {}, pass), source.rows};
}

const Head& Transformer::head() const {
  TORCH_CHECK(head_, "a model of classes has no words to say");
  return *head_;
}

ops::CrossEntropy Transformer::cross_entropies(const at::Tensor& features, const at::Tensor& targets,
                                               double label_smoothing, SmoothingOver over) const {
  return head().cross_entropies(features, {}, {targets, label_smoothing, over}, {});
}

void Transformer::profile(const Batch& batch, Pass pass) {
  const Shape shape = model_.shape();
  const auto profiled = [&](Stack stack) { return shape.has(stack) && stack_plan(model_, stack).placement->profiled; };
  if (!profiled(Stack::Encoder) && !profiled(Stack::Decoder)) return;
  AdminProfile profile;
  at::NoGradGuard no_grad;
  pass.profile = &profile;
  features(batch, pass);
}

}  // namespace plumb
