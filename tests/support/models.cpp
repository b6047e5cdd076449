#include "support/models.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/base/random_stream.h"
#include "plumb/ops/cross_entropy.h"

namespace plumb::test {
namespace {

Tokens tokens(const std::vector<std::vector<int64_t>>& sentences) {
  std::vector<int64_t> ids, lengths;
  for (const auto& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(static_cast<int64_t>(sentence.size()));
  }
  return {at::tensor(ids, at::kLong), ops::Packed(lengths)};
}

Tokens only(const Tokens& all, int64_t b) {
  if (!all.ids.defined()) return {};
  const int64_t length = all.rows.length(b);
  return {all.ids.narrow(0, all.rows.begin(b), length), ops::Packed({length}, {all.rows.samples()[b]})};
}

std::vector<int> ids_of(const Tokens& one) {
  std::vector<int> ids;
  if (!one.ids.defined()) return ids;
  for (int64_t i = 0; i < one.ids.numel(); ++i) ids.push_back(one.ids[i].item<int>());
  return ids;
}

std::string name_or_default(const auto& choice) {
  return choice ? std::string(word(*choice)) : "default";
}

}  // namespace

ModelConfig tiny(Form form, const std::string& variant) {
  ModelConfig model;
  model.form = form;
  model.variant = variant;
  model.width = 8;
  model.heads = 2;
  model.ffn_width = 12;
  model.encoder_layers = 3;
  model.decoder_layers = 2;
  model.activation = Activation::Gelu;  // ReLU's kink would spoil finite differences
  model.source_vocab = 11;
  model.target_vocab = 13;
  model.max_positions = 16;
  model.dropout = 0;
  return model;
}

Batch tiny_batch(const ModelConfig& model) {
  const std::vector<std::vector<int64_t>> source = {{4, 7, 5, 10, 2}, {9}, {6, 6, 8}};
  const std::vector<std::vector<int64_t>> target = {{2, 5, 9, 4}, {2, 10, 7, 6, 8, 3}, {2}};
  Batch batch;
  if (model.form != Form::Decoder) batch.source = tokens(source);
  if (model.form != Form::Encoder) batch.target = tokens(target);
  return batch;
}

Batch only(const Batch& batch, int64_t b) {
  return {only(batch.source, b), only(batch.target, b)};
}

const Tokens& last_tokens(const Batch& batch, const ModelConfig& model) {
  return model.form == Form::Encoder ? batch.source : batch.target;
}

at::Tensor rows_of(const at::Tensor& x, const Batch& batch, const ModelConfig& model, int64_t b) {
  const ops::Packed& rows = last_tokens(batch, model).rows;
  return x.narrow(0, rows.begin(b), rows.length(b));
}

void randomise(Transformer& model, uint64_t seed) {
  at::NoGradGuard no_grad;
  ParameterStore& store = model.parameters();
  for (const auto& entry : store.entries()) {
    RandomStream random(seed, "test/" + entry.spec.name);
    at::Tensor drawn = at::empty(entry.spec.shape, at::kDouble);
    const bool matrix = drawn.dim() == 2;
    for (int64_t i = 0; i < drawn.numel(); ++i) {
      // Matrices between -0.4 and 0.4 (larger ones saturate the softmax of norm-free rows), vectors and scalars between
      // 0.4 and 0.9 of either sign: nothing near 0 or 1.
      const double u = random.uniform();
      drawn.data_ptr<double>()[i] = matrix ? 0.8 * u - 0.4 : (random.uniform() < 0.3 ? -1 : 1) * (0.4 + 0.5 * u);
    }
    store.value(entry.spec.name).copy_(drawn);
  }
}

oracle::Config oracle_config(const ModelConfig& model) {
  oracle::Config c;
  c.form = word(model.form);
  c.encoder_variant = model.encoder_variant.empty() ? model.variant : model.encoder_variant;
  c.decoder_variant = model.decoder_variant.empty() ? model.variant : model.decoder_variant;
  c.width = model.width;
  c.heads = model.heads;
  c.ffn_width = model.ffn_width;
  c.encoder_layers = model.encoder_layers;
  c.decoder_layers = model.decoder_layers;
  c.norm = name_or_default(model.norm);
  c.qk_norm = name_or_default(model.qk_norm);
  c.activation = word(model.activation);
  c.positions = word(model.positions);
  c.scale_embedding = model.scale_embedding;
  c.layernorm_embedding = model.layernorm_embedding;
  c.embedding_gain = word(model.embedding_gain);
  c.final_norm = !model.final_norm ? "default" : *model.final_norm ? "on" : "off";
  c.share_all_embeddings = model.share_all_embeddings;
  c.share_decoder_input_output_embed = model.share_decoder_input_output_embed;
  c.output_projection = model.init != Regime::T;
  c.mix_ln_fraction = model.options.mix_ln_fraction;
  c.residual_dual_scale = model.options.residual_dual_scale;
  c.normformer_scale_resids = model.options.normformer_scale_resids;
  return c;
}

oracle::Weights oracle_weights(const Transformer& model) {
  oracle::Weights weights;
  for (const auto& entry : model.parameters().entries()) {
    const at::Tensor value = model.parameters().value(entry.spec.name).to(at::kDouble).contiguous();
    weights[entry.spec.name].assign(value.data_ptr<double>(), value.data_ptr<double>() + value.numel());
  }
  return weights;
}

at::Tensor oracle_logits(const Transformer& model, const Batch& batch, oracle::Bug bug) {
  const oracle::Config config = oracle_config(model.config());
  const oracle::Weights weights = oracle_weights(model);
  std::vector<at::Tensor> rows;
  const int64_t sequences = last_tokens(batch, model.config()).rows.sequences();
  for (int64_t b = 0; b < sequences; ++b) {
    const Batch one = only(batch, b);
    for (const oracle::Row& row : oracle::logits(config, weights, ids_of(one.source), ids_of(one.target), bug)) {
      rows.push_back(at::tensor(row, at::kDouble));
    }
  }
  return at::stack(rows);
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>() / std::max(1.0, b.abs().max().item<double>());
}

at::Tensor logits(const Transformer& model, const Batch& batch) {
  at::NoGradGuard no_grad;
  return model.logits(model.features(batch, {}));
}

at::Tensor loss(const Transformer& model, const Batch& batch, const Pass& pass) {
  const at::Tensor ids = last_tokens(batch, model.config()).ids;
  const at::Tensor targets = at::roll(ids, -1);
  const at::Tensor sum =
      ops::cross_entropy(model.logits(model.features(batch, pass)), targets, 0.1, SmoothingOver::All);
  return sum / static_cast<double>(ids.numel());
}

std::string case_name(const std::string& variant, Form form) {
  return variant + '_' + std::string(word(form));
}

}  // namespace plumb::test
