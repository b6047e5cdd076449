#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plumb/catalogue/terms.h"
#include "plumb/catalogue/variants.h"

namespace plumb {

/// A field that is not set takes what the variant's row says ("auto" in a file).
template <class T>
using Auto = std::optional<T>;

/// The model. Every struct here lists its fields once, in `fields`: reading, checking, dumping, `--set`, help and
/// docs/config.md all walk that list.
struct ModelConfig {
  Form form = Form::EncoderDecoder;
  std::string variant = "pre_ln";
  std::string encoder_variant;
  std::string decoder_variant;
  std::string placement;
  Auto<Regime> init;
  std::string init_multipliers;
  bool init_truncated = false;
  Auto<NormKind> norm;
  double norm_eps = 0;
  Auto<QkNorm> qk_norm;
  int qk_norm_length = 72;
  Auto<bool> final_norm;

  int width = 512;
  int heads = 8;
  int ffn_width = 2048;
  int encoder_layers = 6;
  int decoder_layers = 6;
  Activation activation = Activation::Relu;

  int source_vocab = 10000;
  int target_vocab = 10000;
  int max_positions = 1024;
  Positions positions = Positions::Fairseq;
  bool scale_embedding = true;
  bool layernorm_embedding = false;
  EmbeddingGain embedding_gain = EmbeddingGain::None;
  bool share_all_embeddings = false;
  bool share_decoder_input_output_embed = false;

  double dropout = 0.1;
  double attention_dropout = 0;
  double activation_dropout = 0;

  B2tRescale b2t_rescale = B2tRescale::None;
  double mix_ln_fraction = 0.25;
  double ds_init_exponent = 0.5;
  double layer_scale_init = 1e-4;
  double residual_dual_scale = 1;
  bool normformer_scale_resids = false;

  Shape shape() const;
  VariantOptions options() const;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("form", c.form, "encoder_decoder, decoder (a language model) or encoder (BERT)");
    visit("variant", c.variant, "how residuals and norms are wired: a row of `plumb list variants`");
    visit("encoder_variant", c.encoder_variant, "another row for the encoder; empty: model.variant");
    visit("decoder_variant", c.decoder_variant, "another row for the decoder; empty: model.variant");
    visit("placement", c.placement, "take only the placement from this row; empty: the variant's own");
    visit("init", c.init, "base initialisation, a row of `plumb list inits`; auto: the variant's own");
    visit("init_multipliers", c.init_multipliers,
          "take the initial scales from this row, or none; empty: the variant's own");
    visit("init_truncated", c.init_truncated, "cut normal draws at three sigma");
    visit("norm", c.norm, "kind of every norm: layer, rms, scale or dyt; auto: the variant's own");
    visit("norm_eps", c.norm_eps, "epsilon of the norms; 0: 1e-5 (layer, scale), 1e-6 (rms)");
    visit("qk_norm", c.qk_norm, "norm of queries and keys: none, head, full, l2; auto: the variant's own");
    visit("qk_norm_length", c.qk_norm_length, "sequence length L that l2 starts its scale from: log2(L^2 - L)");
    visit("final_norm", c.final_norm, "norm at the end of each stack: true, false; auto: the variant's own");
    visit("width", c.width, "model width d");
    visit("heads", c.heads, "attention heads");
    visit("ffn_width", c.ffn_width, "hidden width of the feed-forward part");
    visit("encoder_layers", c.encoder_layers, "layers of the encoder");
    visit("decoder_layers", c.decoder_layers, "layers of the decoder");
    visit("activation", c.activation, "relu or gelu");
    visit("source_vocab", c.source_vocab, "source vocabulary; the only one of an encoder");
    visit("target_vocab", c.target_vocab, "target vocabulary; the only one of a decoder");
    visit("max_positions", c.max_positions, "longest sequence, in tokens");
    visit("positions", c.positions, "fairseq or marian sinusoids, learned, or none");
    visit("scale_embedding", c.scale_embedding, "multiply token embeddings by sqrt(width)");
    visit("layernorm_embedding", c.layernorm_embedding, "a norm after the embedding (BART, BERT)");
    visit("embedding_gain", c.embedding_gain, "a learned gain on the embedding: none, scalar or vector");
    visit("share_all_embeddings", c.share_all_embeddings, "one matrix for source, target and output");
    visit("share_decoder_input_output_embed", c.share_decoder_input_output_embed, "tie the output to the input");
    visit("dropout", c.dropout, "dropout of every branch and of the embedding");
    visit("attention_dropout", c.attention_dropout, "dropout of the attention weights");
    visit("activation_dropout", c.activation_dropout, "dropout inside the feed-forward part");
    visit("b2t_rescale", c.b2t_rescale, "b2t: none (the 2022 paper), or depth: layer weights times L^-1/2");
    visit("mix_ln_fraction", c.mix_ln_fraction, "mix_ln: share of the layers that are Post-LN");
    visit("ds_init_exponent", c.ds_init_exponent, "ds_init: layer l times l^-exponent (paper 0.5, its code 0.25)");
    visit("layer_scale_init", c.layer_scale_init, "layer_scale: first value of the branch scale");
    visit("residual_dual_scale", c.residual_dual_scale, "residual_dual: scale of the second stream");
    visit("normformer_scale_resids", c.normformer_scale_resids, "normformer: learn the skip of the FFN as well");
  }
};

struct TrainConfig {
  std::string restore_file;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("restore_file", c.restore_file, "start from the weights in this .safetensors file");
  }
};

/// A whole run.
struct Config {
  int64_t seed = 1;
  int threads = 0;
  ModelConfig model;
  TrainConfig train;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("seed", c.seed, "where every random stream starts");
    visit("threads", c.threads, "threads of one process; 0: OMP_NUM_THREADS, else every core it may use");
  }

  /// The sections of the file, in order: `[model]`, `[train]`.
  template <class Self, class Visit>
  static void sections(Self& c, Visit&& visit) {
    visit("model", c.model);
    visit("train", c.train);
  }
};

}  // namespace plumb
