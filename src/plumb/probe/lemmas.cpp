// The lemmas and theorems of Xiong et al. 2020 and Liu et al. 2020 in their own setting, regime T: attention is a mean,
// the feed-forward part is square, norms have no epsilon, the input is N(0, I). Of the subject only the seed counts.

#include <cmath>
#include <string>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/ops/norm.h"
#include "plumb/ops/path.h"
#include "plumb/probe/dependency.h"
#include "plumb/probe/depth_scaling.h"
#include "plumb/probe/probe.h"
#include "plumb/probe/shift.h"

namespace plumb::probe {
namespace {

constexpr int kWidth = 128, kVocabulary = 1000, kLayers = 6;
constexpr int64_t kSentences = 8, kLength = 24;
constexpr int kTheorem1Depths[] = {6, 8, 10, 12, 14};
constexpr int kTheorem2Depths[] = {2, 4, 8, 16};

/// A model of the theory, with its own random sentences.
class Theory {
 public:
  Theory(const Subject& subject, Form form) : where_(subject.where()), seed_(subject.seed()) {
    ModelConfig& model = config_.model;
    model.form = form;
    model.width = model.ffn_width = kWidth;
    model.heads = 1;
    model.init = Regime::T;
    model.positions = Positions::None;
    model.norm_eps = 1e-12;
    model.source_vocab = model.target_vocab = kVocabulary;
    model.dropout = 0;
    sample_.batches = {random_batch(form).to(where_)};
  }

  Subject subject(std::string_view variant, int layers) const {
    Config config = config_;
    config.model.variant = variant;
    config.model.encoder_layers = config.model.decoder_layers = layers;
    return Subject(config, sample_, seed_).with_where(where_, sample_);
  }

 private:
  ProbeBatch random_batch(Form form) const {
    at::manual_seed(seed_);
    const auto ids = [] {
      return at::randint(kUnk + 1, kVocabulary, {kSentences * kLength}, Where().options(at::kLong));
    };
    const ops::Packed rows(std::vector<int64_t>(kSentences, kLength));
    ProbeBatch batch;
    if (form != Form::Decoder) batch.inputs.source = {ids(), rows};
    if (form != Form::Encoder) batch.inputs.target = {ids(), rows};
    batch.targets = ids();
    return batch;
  }

  Config config_;
  Where where_;
  Sample sample_;
  uint64_t seed_;
};

void lemma1(Readings& out) {
  const at::Tensor x = at::randn({2000, kWidth}, Where().options());
  out.add("lemma1", {}, at::relu(x).square().sum(1).mean().item<double>() / (0.5 * kWidth));
}

void lemma2(const Theory& theory, Readings& out) {
  const auto sizes = [&](std::string_view variant, const char* point, const std::string& number) {
    const Subject subject = theory.subject(variant, kLayers);
    const TapRecorder taps = subject.watched_forward(*subject.build());
    for (int layer = 0; layer < kLayers; ++layer) {
      const at::Tensor& x = taps.value("encoder." + std::to_string(layer) + ".ffn." + point);
      out.add(number, {}, "layer", layer + 1, x.square().mean().item<double>());
    }
  };
  sizes(kTheoryPost, "sum", "lemma2_post");
  sizes(kTheoryPre, "out", "lemma2_pre");
  for (int layer = 1; layer <= kLayers; ++layer) {
    out.add("lemma2_low", {}, "layer", layer, 1 + layer / 2.0);
    out.add("lemma2_high", {}, "layer", layer, 1 + 1.5 * layer);
  }
}

/// The largest singular value of the Jacobian of LayerNorm at x, by power iteration on J^T J. J is symmetric up to its
/// scale here, but nothing is assumed about that: J v is the derivative of J^T w . v by w.
double jacobian_norm(const at::Tensor& x) {
  constexpr int kIterations = 60;
  const int64_t d = x.numel();
  const ops::PathScope reference(ops::Path::Reference);
  const at::Tensor leaf = x.view({1, d}).detach().requires_grad_();
  const at::Tensor y =
      ops::norm(NormKind::Layer, leaf, {at::ones({d}, x.options()), at::zeros({d}, x.options()), {}}, 0);
  at::Tensor w = at::ones_like(y).requires_grad_();
  const at::Tensor pulled = torch::autograd::grad({y}, {leaf}, {w}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  at::Tensor v = at::randn({1, d}, x.options());
  double norm = 0;
  for (int i = 0; i < kIterations; ++i) {
    v = v / v.norm();
    const at::Tensor pushed = torch::autograd::grad({pulled}, {w}, {v}, /*retain_graph=*/true)[0];
    norm = pushed.norm().item<double>();
    v = torch::autograd::grad({y}, {leaf}, {pushed}, /*retain_graph=*/true)[0];
  }
  return norm;
}

void lemma3(Readings& out) {
  const at::Tensor x = 3 * at::randn({kWidth}, Where(at::kDouble).options()) + 5;
  const double closed = std::sqrt(static_cast<double>(kWidth)) / (x - x.mean()).norm().item<double>();
  out.add("lemma3", {}, jacobian_norm(x) / closed);
}

void theorem1(const Theory& theory, std::string_view variant, const std::string& ending, Readings& out) {
  std::vector<double> log_depth, log_gradient;
  for (int depth : kTheorem1Depths) {
    const double gradient = last_ffn_gradient(theory.subject(variant, depth));
    out.add("theorem1_" + ending, {}, "depth", depth, gradient);
    log_depth.push_back(std::log(depth));
    log_gradient.push_back(std::log(gradient));
  }
  out.add("theorem1_slope_" + ending, {}, fit_line(log_depth, log_gradient).slope);
}

double gradient_at(const TapRecorder& taps, const std::string& tap) {
  return taps.gradient(tap).norm().item<double>();
}

void liu_gradients(const Theory& encoders, const Theory& pairs, Readings& out) {
  const std::string last = std::to_string(kLayers - 1);
  const Subject encoder = encoders.subject(kTheoryPost, kLayers);
  const auto model = encoder.build();
  encoder.mean_gradient(*model);
  const auto w2 = [&](const std::string& layer) {
    return model->parameters().gradient("encoder.layers." + layer + ".fc2.weight").norm().item<double>();
  };
  out.add("liu_theorem1", {}, w2("0") / w2(last));
  const Subject pair = pairs.subject(kTheoryPost, kLayers);
  const auto both = pair.build();
  const TapRecorder decoder = pair.watched_pass(*both, pair.first());
  const double ratio = gradient_at(decoder, "decoder.0.ffn.out") / gradient_at(decoder, "decoder." + last + ".ffn.out");
  out.add("liu_remark1", {}, std::pow(ratio, 1.0 / (kLayers - 1)));
}

void liu_theorem2(const Theory& theory, std::string_view variant, Readings& out) {
  for (int depth : kTheorem2Depths) {
    const Subject subject = theory.subject(variant, depth);
    const auto model = subject.build();
    const TapRecorder taps = subject.watched_forward(*model);
    const Dependency found = dependency_of(*model, Stack::Encoder, taps);
    double sum = 0;
    for (size_t i = 0; i < found.beta.size(); ++i) sum += found.own(i);
    out.add("liu_theorem2", {{"row", std::string(variant)}}, "depth", depth,
            output_shift(subject, Stack::Encoder).random / sum);
  }
}

}  // namespace

void lemmas(const Subject& subject, Readings& out) {
  const Theory encoders(subject, Form::Encoder), pairs(subject, Form::EncoderDecoder);
  at::manual_seed(subject.seed());
  lemma1(out);
  lemma2(encoders, out);
  lemma3(out);
  theorem1(encoders, kTheoryPost, "post", out);
  theorem1(encoders, kTheoryPre, "pre", out);
  liu_gradients(encoders, pairs, out);
  liu_theorem2(encoders, kTheoryPost, out);
  liu_theorem2(encoders, kTheoryPre, out);
}

}  // namespace plumb::probe
