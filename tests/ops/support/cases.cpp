#include "ops/support/cases.h"

#include <ATen/ATen.h>

#include "plumb/ops/activation.h"
#include "plumb/ops/attention.h"
#include "plumb/ops/cross_entropy.h"
#include "plumb/ops/dropout.h"
#include "plumb/ops/embedding.h"
#include "plumb/ops/glu.h"
#include "plumb/ops/linear.h"
#include "plumb/ops/norm.h"
#include "plumb/ops/residual.h"
#include "plumb/ops/split_columns.h"
#include "plumb/ops/unfold.h"
#include "plumb/ops/weighted_sum.h"

#include "support/numbers.h"

namespace plumb::test {
namespace {

using ops::Dropout;
using ops::Packed;
using Tensors = std::vector<at::Tensor>;

constexpr Dropout kCaseDropout{.p = 0.3, .seed = 11, .step = 3, .site = 7};

struct Sizes {
  Packed rows, keys;
  int64_t width, hidden, heads, words;
};

Sizes sizes_of(CaseSize size) {
  if (size == CaseSize::Small) {
    return {Packed({3, 1, 2}, {5, 0, 9}), Packed({2, 4, 1}, {5, 0, 9}), 6, 10, 2, 5};
  }
  const bool real = size == CaseSize::Real;
  std::vector<int64_t> lengths, key_lengths, samples;
  for (int64_t i = 0; i < (real ? 300 : 60); ++i) {
    lengths.push_back(1 + i * 7 % 23);
    key_lengths.push_back(1 + i * 5 % 31);
    samples.push_back(1000 - i);
  }
  const Packed rows(lengths, samples), keys(key_lengths, samples);
  return real ? Sizes{rows, keys, 512, 1024, 4, 10000} : Sizes{rows, keys, 60, 129, 3, 301};
}

class Cases {
 public:
  explicit Cases(CaseSize size) : s_(sizes_of(size)), n_(s_.rows.rows()) {}

  std::vector<DerivativeCase> all() {
    for (NormKind kind : {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt}) add_norm(kind);
    add_linear();
    add_attention();
    add_activation();
    add_convolution();
    add_cross_entropy();
    add_embedding();
    add_residual();
    add("dropout", {random({n_, s_.width}, 1)},
        [rows = s_.rows](const Tensors& in) { return ops::dropout(in[0], rows, kCaseDropout); });
    add("weighted_sum", {matrix(1), matrix(2), matrix(3), random({3}, 4)}, [](const Tensors& in) {
      return ops::weighted_sum({in[0], in[1], in[2]}, in[3]);
    });
    add("split_columns", {random({n_, 3 * s_.width}, 1)}, [](const Tensors& in) {
      const std::vector<at::Tensor> parts = ops::split_columns(in[0], 3);
      return parts[0] * parts[2] + parts[1];
    });
    return cases_;
  }

 private:
  void add(const std::string& name, const Tensors& inputs, const std::function<at::Tensor(const Tensors&)>& op) {
    cases_.push_back({name, inputs, op});
  }

  at::Tensor matrix(uint64_t seed) const { return random({n_, s_.width}, seed); }
  at::Tensor vector(uint64_t seed) const { return random({s_.width}, seed); }

  // weight, bias, alpha, as far as the kind has them. No weight is near zero: the fused path may divide by it.
  Tensors norm_weights(NormKind kind) const {
    const at::Tensor scatter = 0.2 * random({kind == NormKind::Scale ? 1 : s_.width}, 2);
    Tensors weights = {scatter + scatter.sign()};
    if (kind == NormKind::Layer || kind == NormKind::Dyt) weights.push_back(vector(3));
    if (kind == NormKind::Dyt) weights.push_back(random({1}, 4));
    return weights;
  }
  static ops::NormWeights weights_from(const Tensors& in, size_t first) {
    const auto part = [&](size_t i) { return in.size() > i ? in[i] : at::Tensor(); };
    return {in[first], part(first + 1), part(first + 2)};
  }

  void add_norm(NormKind kind) {
    const std::string name = "norm_" + std::string(word(kind));
    Tensors inputs = {matrix(1) + 0.5};
    const Tensors weights = norm_weights(kind);
    inputs.insert(inputs.end(), weights.begin(), weights.end());
    add(name, inputs, [kind](const Tensors& in) { return ops::norm(kind, in[0], weights_from(in, 1), 1e-2); });
    add(name + "_with_skip", inputs, [kind](const Tensors& in) {
      const ops::SkipAndNorm both = ops::skip_and_norm(kind, in[0], weights_from(in, 1), 1e-2);
      return both.skip * 0.7 + both.normed;
    });
  }

  void add_linear() {
    const at::Tensor w = random({s_.hidden, s_.width}, 2), b = random({s_.hidden}, 3);
    add("linear", {matrix(1), w, b}, [](const Tensors& in) { return ops::linear(in[0], in[1], in[2]); });
    add("linear_and_skip", {matrix(1), random({s_.width, s_.width}, 2), random({s_.width}, 3)}, [](const Tensors& in) {
      const auto [y, skip] = ops::linear_and_skip(in[0], in[1], in[2]);
      return y + skip * 0.7;
    });
    add("linear_without_bias", {matrix(1), w}, [](const Tensors& in) { return ops::linear(in[0], in[1], {}); });
  }

  void add_attention() {
    const int64_t w = s_.width;
    for (bool drops : {false, true}) {
      const std::string suffix = drops ? "_dropout" : "";
      for (bool causal : {false, true}) {
        const ops::AttentionTerms t{s_.rows, s_.rows, s_.heads, 0.7, causal, drops ? kCaseDropout : Dropout{}};
        add((causal ? "attention_causal" : "attention") + suffix, {random({n_, 3 * w}, 1)}, [=](const Tensors& in) {
          return ops::attention({in[0], 0, w}, {in[0], w, w}, {in[0], 2 * w, w}, t);
        });
      }
      const ops::AttentionTerms t{s_.rows, s_.keys, s_.heads, 0.7, false, drops ? kCaseDropout : Dropout{}};
      add("attention_cross" + suffix, {matrix(1), random({s_.keys.rows(), 2 * w}, 2)}, [=](const Tensors& in) {
        return ops::attention(in[0], {in[1], 0, w}, {in[1], w, w}, t);
      });
      add("attention_three_matrices" + suffix,
          {matrix(1), random({s_.keys.rows(), w}, 2), random({s_.keys.rows(), w}, 3)},
          [=](const Tensors& in) { return ops::attention(in[0], in[1], in[2], t); });
    }
  }

  void add_activation() {
    for (Activation activation : {Activation::Relu, Activation::Gelu}) {
      for (bool drops : {false, true}) {
        // 0.2 away from ReLU's kink at least, further than the stencil of finite differences reaches.
        const at::Tensor x = random({n_, s_.hidden}, 6), b = 0.05 * random({s_.hidden}, 7).clamp(-2, 2);
        const std::string name = std::string(word(activation)) + (drops ? "_dropout" : "");
        add(name, {x + 0.2 * x.sign(), b}, [=, rows = s_.rows](const Tensors& in) {
          return ops::bias_activation(activation, in[0], in[1], rows, drops ? kCaseDropout : Dropout{});
        });
      }
    }
  }

  void add_convolution() {
    const int64_t w = s_.width;
    add("glu", {random({n_, 2 * w}, 1), random({2 * w}, 2)}, [](const Tensors& in) { return ops::glu(in[0], in[1]); });
    add("glu_without_bias", {random({n_, 2 * w}, 1)}, [](const Tensors& in) { return ops::glu(in[0], {}); });
    add("unfold", {matrix(1)}, [rows = s_.rows](const Tensors& in) { return ops::unfold(in[0], rows, 5, 2).x; });
    add("unfold_every_row", {matrix(1)},
        [rows = s_.rows](const Tensors& in) { return ops::unfold(in[0], rows, 3, 1).x; });
  }

  void add_cross_entropy() {
    const at::Tensor targets = at::arange(n_, at::kLong).mul(7).remainder(s_.words);
    for (double eps : {0.0, 0.1}) {
      for (SmoothingOver over : {SmoothingOver::All, SmoothingOver::Others}) {
        const std::string name = "projected_cross_entropy_" + std::string(word(over)) + (eps > 0 ? "_smoothed" : "");
        add(name, {matrix(1), random({s_.words, s_.width}, 2)}, [=](const Tensors& in) {
          return ops::projected_cross_entropies(in[0], in[1], targets, eps, over).smoothed.view({1});
        });
      }
    }
  }

  void add_embedding() {
    const at::Tensor ids = at::arange(n_, at::kLong).mul(5).remainder(s_.words - 1);
    const at::Tensor table = random({s_.words, s_.width}, 1), places = random({s_.rows.longest() + 3, s_.width}, 2);
    const auto terms = [=, rows = s_.rows](const at::Tensor& t, const at::Tensor& p, const Dropout& d) {
      return ops::EmbeddingTerms{
          .table = t, .ids = ids, .scale = 1.5, .positions = p, .first_position = 2, .rows = rows, .dropout = d};
    };
    add("embedding", {table}, [=](const Tensors& in) { return ops::embedding(terms(in[0], {}, {})); });
    add("embedding_learned_positions_dropout", {table, places},
        [=](const Tensors& in) { return ops::embedding(terms(in[0], in[1], kCaseDropout)); });
  }

  void add_residual() {
    const auto start = [rows = s_.rows](const Tensors& in, const Dropout& d) {
      return ops::ResidualTerms{.f = in[0], .bias = in[1], .x = in[2], .rows = rows, .dropout = d};
    };
    const Tensors inputs = {matrix(1), vector(2), matrix(3)};
    const auto with = [&](const Tensors& more) {
      Tensors all = inputs;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    add("residual_pre_ln", inputs, [=](const Tensors& in) { return ops::residual(start(in, kCaseDropout)); });
    for (NormKind kind : {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
      add("residual_post_" + std::string(word(kind)), with(norm_weights(kind)), [=](const Tensors& in) {
        ops::ResidualTerms t = start(in, kCaseDropout);
        t.norm = {kind, weights_from(in, 3), 1e-2};
        return ops::residual(t);
      });
    }
    // A weight of zero hides what went in: the fused path must keep the sum.
    Tensors hidden = norm_weights(NormKind::Layer);
    hidden[0][1] = 0;
    add("residual_post_zero_weight", with(hidden), [=](const Tensors& in) {
      ops::ResidualTerms t = start(in, {});
      t.norm = {NormKind::Layer, weights_from(in, 3), 1e-2};
      return ops::residual(t);
    });
    add("residual_b2t", with({matrix(4), norm_weights(NormKind::Layer)[0], vector(6)}), [=](const Tensors& in) {
      ops::ResidualTerms t = start(in, kCaseDropout);
      t.bottom = in[3];
      t.alpha = 0.8;
      t.beta = 0.6;
      t.norm = {NormKind::Layer, weights_from(in, 4), 1e-2};
      return ops::residual(t);
    });
    add("residual_admin", with({vector(4), norm_weights(NormKind::Layer)[0], vector(6)}), [=](const Tensors& in) {
      ops::ResidualTerms t = start(in, kCaseDropout);
      t.r.learned = in[3];
      t.norm = {NormKind::Layer, weights_from(in, 4), 1e-2};
      return ops::residual(t);
    });
    add("residual_learned_gains", with({random({1}, 4), vector(5)}), [=](const Tensors& in) {
      ops::ResidualTerms t = start(in, kCaseDropout);
      t.r.learned = in[3];
      t.g.learned = in[4];
      return ops::residual(t);
    });
    add("residual_number_gains", inputs, [=](const Tensors& in) {
      ops::ResidualTerms t = start(in, {});
      t.r.value = 2.5;
      t.g.value = 0.3;
      return ops::residual(t);
    });
  }

  Sizes s_;
  int64_t n_;
  std::vector<DerivativeCase> cases_;
};

}  // namespace

std::vector<DerivativeCase> op_cases(CaseSize size) {
  return Cases(size).all();
}

}  // namespace plumb::test
