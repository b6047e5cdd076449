#include "oracle/test_models.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "oracle/random_weights.h"

namespace oracle {

const std::vector<std::string>& all_variants() {
  static const std::vector<std::string> variants = {
      "post_ln",       "pre_ln",    "admin",         "admin_closed",     "b2t",
      "b2t_past_norm", "b2t_no_ln", "dlcl_pre",      "dlcl_post",        "t_fixup",
      "deepnorm",      "rezero",    "fixup",         "look_linear",      "rezero_post_ln",
      "ds_init",       "sandwich",  "residual_dual", "normformer",       "sub_ln",
      "layer_scale",   "mix_ln",    "hybrid_norm",   "hybrid_norm_star", "ln_scaling",
      "olmo2",         "dyt"};
  return variants;
}

Config config_of(const std::string& form, const std::string& variant) {
  Config config;
  config.form = form;
  config.encoder_variant = config.decoder_variant = variant;
  config.width = 8;
  config.heads = 2;
  config.ffn_width = 12;
  config.encoder_layers = 3;
  config.decoder_layers = 2;
  return config;
}

Matrix run(const Config& config, const Weights& weights, Bug bug) {
  const std::vector<int> none;
  return logits(config, weights, config.form == "decoder" ? none : kSource, config.form == "encoder" ? none : kTarget,
                bug);
}

Matrix run(const Config& config, Bug bug) {
  return run(config, random_weights(config, 1), bug);
}

double difference(const Matrix& a, const Matrix& b) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return infinity;
  double largest = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t].size() != b[t].size()) return infinity;
    for (std::size_t i = 0; i < a[t].size(); ++i) {
      const double distance = std::abs(a[t][i] - b[t][i]);
      if (std::isnan(distance)) return infinity;
      largest = std::max(largest, distance);
    }
  }
  return largest;
}

Weights with(Weights weights, const std::string& part, double value) {
  for (auto& [name, values] : weights) {
    if (name.find(part) != std::string::npos) values.assign(values.size(), value);
  }
  return weights;
}

std::vector<Config> many_configs() {
  std::vector<Config> configs;
  for (const std::string& variant : all_variants()) {
    for (const char* form : {"encoder_decoder", "decoder", "encoder"}) configs.push_back(config_of(form, variant));
    for (const char* norm : {"rms", "scale", "dyt"}) {
      configs.push_back(config_of("encoder_decoder", variant));
      configs.back().norm = norm;
    }
    for (const char* qk : {"none", "head", "full", "l2"}) {
      configs.push_back(config_of("encoder_decoder", variant));
      configs.back().qk_norm = qk;
    }
    Config options = config_of("encoder_decoder", variant);
    options.positions = "learned";
    options.layernorm_embedding = true;
    options.embedding_gain = "vector";
    options.final_norm = "on";
    options.share_decoder_input_output_embed = true;
    options.normformer_scale_resids = true;
    options.activation = "relu";
    configs.push_back(options);
    options.positions = "marian";
    options.embedding_gain = "scalar";
    options.final_norm = "off";
    options.share_all_embeddings = true;
    options.output_projection = false;
    options.layernorm_embedding = false;
    configs.push_back(options);
  }
  Config hybrid = config_of("encoder_decoder", "post_ln");
  hybrid.decoder_variant = "pre_ln";
  configs.push_back(hybrid);
  return configs;
}

}  // namespace oracle
