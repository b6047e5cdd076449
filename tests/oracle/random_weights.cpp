#include "oracle/random_weights.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <set>

namespace oracle {
namespace {

using Sizes = std::map<std::string, std::size_t>;
using Names = std::set<std::string>;

// The tensors of one stack, in the order of docs/parameters.md.
class StackList {
 public:
  StackList(const Config& config, const std::string& stack, Sizes* sizes)
      : config_(config),
        stack_(stack),
        variant_(stack == "encoder" ? config.encoder_variant : config.decoder_variant),
        layers_(stack == "encoder" ? config.encoder_layers : config.decoder_layers),
        cross_(stack == "decoder" && config.form == "encoder_decoder"),
        d_(static_cast<std::size_t>(config.width)),
        f_(static_cast<std::size_t>(config.ffn_width)),
        h_(static_cast<std::size_t>(config.heads)),
        sizes_(*sizes) {}

  void list() {
    if (config_.layernorm_embedding) norm(stack_ + ".layernorm_embedding", d_);
    if (config_.embedding_gain != "none")
      sizes_[stack_ + ".embedding_gain"] = config_.embedding_gain == "scalar" ? 1 : d_;
    for (int l = 0; l < layers_; ++l) layer(l);
    if (final_norm()) norm(stack_ + ".layer_norm", d_);
    if (variant_ == "fixup") {
      sizes_[stack_ + ".output_shift"] = 1;
      if (stack_ == "encoder") sizes_[stack_ + ".output_scale"] = 1;
    }
    if (variant_ != "dlcl_pre" && variant_ != "dlcl_post") return;
    for (int l = 0; l <= layers_; ++l) {
      sizes_[stack_ + ".history.weights." + std::to_string(l)] = static_cast<std::size_t>(l) + 1;
      if (l > 0) norm(stack_ + ".history.layer_norms." + std::to_string(l), d_);
    }
  }

 private:
  bool is(const Names& variants) const { return variants.count(variant_) > 0; }

  bool final_norm() const {
    if (variant_ == "residual_dual") return true;
    if (config_.final_norm != "default") return config_.final_norm == "on";
    return !is({"post_ln", "look_linear", "ds_init", "admin", "admin_closed", "b2t", "b2t_past_norm", "b2t_no_ln",
                "t_fixup", "deepnorm", "rezero", "rezero_post_ln", "fixup", "dlcl_post"});
  }

  void norm(const std::string& name, std::size_t n) {
    std::string kind = config_.norm;
    if (kind == "default") kind = variant_ == "olmo2" ? "rms" : variant_ == "dyt" ? "dyt" : "layer";
    sizes_[name + ".weight"] = kind == "scale" ? 1 : n;
    if (kind == "layer" || kind == "dyt") sizes_[name + ".bias"] = n;
    if (kind == "dyt") sizes_[name + ".alpha"] = 1;
  }

  void linear(const std::string& name, std::size_t out, std::size_t in) {
    sizes_[name + ".weight"] = out * in;
    if (variant_ != "fixup") sizes_[name + ".bias"] = out;
  }

  void attention(const std::string& name) {
    for (const char* which : {"q", "k", "v"}) linear(name + "." + which + "_proj", d_, d_);
    if (config_.output_projection) linear(name + ".out_proj", d_, d_);
    const bool hybrid = is({"hybrid_norm", "hybrid_norm_star"});
    std::string qk = config_.qk_norm;
    if (qk == "default") qk = variant_ == "olmo2" ? "full" : hybrid ? "head" : "none";
    if (qk == "l2") sizes_[name + ".qk_scale"] = 1;
    if (qk == "head" || qk == "full") {
      for (const char* which : {".q_norm", ".k_norm"}) sizes_[name + which + ".weight"] = qk == "full" ? d_ : d_ / h_;
    }
    if (hybrid) sizes_[name + ".v_norm.weight"] = d_ / h_;
  }

  void layer(int index) {
    const std::string p = stack_ + ".layers." + std::to_string(index);
    attention(p + ".self_attn");
    if (cross_) attention(p + ".encoder_attn");
    linear(p + ".fc1", f_, d_);
    linear(p + ".fc2", d_, f_);
    if (is({"rezero", "rezero_post_ln"})) sizes_[p + ".branch_scale"] = 1;
    if (variant_ == "sub_ln") norm(p + ".self_attn.inner_attn_ln", d_);
    if (is({"sub_ln", "normformer"})) norm(p + ".ffn_layernorm", f_);
    if (variant_ == "normformer") sizes_[p + ".self_attn.c_attn"] = h_;
    if (variant_ == "normformer" && config_.normformer_scale_resids) sizes_[p + ".ffn_skip_scale"] = d_;
    if (variant_ == "fixup") sizes_[p + ".ffn_inner_shift"] = sizes_[p + ".ffn_hidden_shift"] = 1;
    Names sublayers = {"self_attn", "ffn"};
    if (cross_) sublayers.insert("encoder_attn");
    for (const std::string& s : sublayers) sublayer(p, s, index);
  }

  void sublayer(const std::string& p, const std::string& s, int index) {
    const std::string stem = p + "." + (s == "ffn" ? "final" : s);
    const bool unnormed = is({"b2t_no_ln", "t_fixup", "rezero", "fixup", "olmo2"});
    const bool hybrid = variant_ == "hybrid_norm" || (variant_ == "hybrid_norm_star" && index > 0);
    if (hybrid ? s == (cross_ ? "encoder_attn" : "self_attn") : !unnormed) norm(stem + "_layer_norm", d_);
    const bool normformer_output = variant_ == "normformer" && s == "self_attn";
    if (is({"sandwich", "olmo2"}) || normformer_output) norm(stem + "_output_layer_norm", d_);
    if (is({"admin", "admin_closed"})) sizes_[p + "." + s + "_skip_scale"] = d_;
    if (variant_ == "layer_scale") sizes_[p + "." + s + "_branch_scale"] = d_;
    if (variant_ == "fixup") sizes_[p + "." + s + "_branch_scale"] = sizes_[p + "." + s + "_input_shift"] = 1;
  }

  const Config& config_;
  const std::string stack_, variant_;
  const int layers_;
  const bool cross_;
  const std::size_t d_, f_, h_;
  Sizes& sizes_;
};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::uint32_t hash(const std::string& text, unsigned seed) {
  std::uint32_t h = 2166136261u ^ seed;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h;
}

}  // namespace

std::map<std::string, std::size_t> tensor_sizes(const Config& config, const Vocabulary& vocabulary) {
  Sizes sizes;
  const std::size_t d = static_cast<std::size_t>(config.width);
  const bool both = config.form == "encoder_decoder";
  const bool one_table = both && config.share_all_embeddings;
  for (const std::string stack : {"encoder", "decoder"}) {
    if (!both && config.form != stack) continue;
    const std::size_t size = stack == "encoder" ? vocabulary.source : vocabulary.target;
    if (stack == "encoder" || !one_table) sizes[stack + ".embed_tokens.weight"] = size * d;
    if (config.positions == "learned") sizes[stack + ".embed_positions.weight"] = (vocabulary.positions + 2) * d;
    StackList(config, stack, &sizes).list();
    const bool tied = config.share_all_embeddings || config.share_decoder_input_output_embed;
    if (!tied && (!both || stack == "decoder")) sizes[stack + ".output_projection.weight"] = size * d;
  }
  return sizes;
}

Weights random_weights(const Config& config, unsigned seed, const Vocabulary& vocabulary) {
  Weights weights;
  for (const auto& [name, size] : tensor_sizes(config, vocabulary)) {
    std::mt19937 generator(hash(name, seed));
    bool matrix = false;
    for (const char* end : {"_proj.weight", "fc1.weight", "fc2.weight", "embed_tokens.weight", "embed_positions.weight",
                            "output_projection.weight"}) {
      matrix = matrix || ends_with(name, end);
    }
    // The rest are gains, which stay away from 0 and differ visibly from 1.
    const bool centred = matrix || ends_with(name, ".bias") || ends_with(name, "_shift");
    // Small enough that no softmax saturates in the stacks without norms, where mistakes in q and k would not show.
    std::normal_distribution<double> around_zero(0.0, matrix ? 0.6 / std::sqrt(config.width) : 0.3);
    std::uniform_real_distribution<double> gain(0.4, 1.6);
    std::vector<double> values(size);
    for (double& value : values) value = centred ? around_zero(generator) : gain(generator);
    weights[name] = values;
  }
  return weights;
}

}  // namespace oracle
