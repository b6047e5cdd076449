// Autograd against fourth-order finite differences in double, for every parameter tensor of every row.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/base/random_stream.h"

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

constexpr double kStep = 1e-3;
constexpr double kGradientTolerance = 1e-7;
constexpr double kFloor = 1e-3;
constexpr int kCoordinates = 2;

/// d/dt loss(theta + t direction) at 0, by a five-point stencil. The error is of order step^4.
double slope(const Transformer& model, const Batch& batch, const Pass& pass, at::Tensor parameter,
             const at::Tensor& direction) {
  at::NoGradGuard no_grad;
  const at::Tensor start = parameter.clone();
  const auto at_step = [&](double t) {
    parameter.copy_(start + t * direction);
    return loss(model, batch, pass).item<double>();
  };
  const double near = at_step(kStep) - at_step(-kStep);
  const double far = at_step(2 * kStep) - at_step(-2 * kStep);
  parameter.copy_(start);
  return (8 * near - far) / (12 * kStep);
}

at::Tensor random_direction(const at::Tensor& like, RandomStream& random) {
  at::Tensor direction = at::empty(like.sizes(), at::kDouble);
  for (int64_t i = 0; i < direction.numel(); ++i) direction.data_ptr<double>()[i] = random.normal();
  return direction / direction.norm();
}

at::Tensor coordinate(const at::Tensor& like, RandomStream& random) {
  at::Tensor direction = at::zeros(like.sizes(), at::kDouble);
  direction.view(-1)[static_cast<int64_t>(random.below(static_cast<uint64_t>(like.numel())))] = 1;
  return direction;
}

void expect_right_gradients(const ModelConfig& config, const Pass& pass = {}) {
  Transformer model(config, 1, at::kDouble);
  randomise(model, 11);
  const Batch batch = tiny_batch(config);
  model.parameters().zero_gradients();
  loss(model, batch, pass).backward();

  for (const auto& entry : model.parameters().entries()) {
    const std::string& name = entry.spec.name;
    const at::Tensor value = model.parameters().value(name);
    const at::Tensor gradient = model.parameters().gradient(name);
    RandomStream random(3, name);
    std::vector<at::Tensor> directions = {random_direction(value, random)};
    for (int i = 0; i < kCoordinates; ++i) directions.push_back(coordinate(value, random));
    for (const at::Tensor& direction : directions) {
      const double expected = slope(model, batch, pass, value, direction);
      const double actual = (gradient * direction).sum().item<double>();
      const double scale = std::max({std::abs(expected), std::abs(actual), kFloor});
      EXPECT_LE(std::abs(expected - actual) / scale, kGradientTolerance)
          << name << ": finite differences " << expected << ", autograd " << actual;
    }
  }
}

class GradientsOfEveryRow : public EveryRow {};

TEST_P(GradientsOfEveryRow, AgreeWithFiniteDifferences) {
  expect_right_gradients(config());
}

INSTANTIATE_TEST_SUITE_P(Table, GradientsOfEveryRow, every_row(), row_name);

TEST(Gradients, OfEveryNormKindAgreeWithFiniteDifferences) {
  for (NormKind kind : {NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
    ModelConfig model = tiny(Form::EncoderDecoder, "sub_ln");
    model.norm = kind;
    expect_right_gradients(model);
  }
}

TEST(Gradients, OfEveryQueryKeyNormAgreeWithFiniteDifferences) {
  for (QkNorm kind : {QkNorm::Head, QkNorm::Full, QkNorm::L2}) {
    ModelConfig model = tiny(Form::EncoderDecoder, "post_ln");
    model.qk_norm = kind;
    expect_right_gradients(model);
  }
}

// Which elements are dropped depends on the pass only, so the loss stays a smooth function of the parameters.
TEST(Gradients, WithAllThreeDropoutsOnAgreeWithFiniteDifferences) {
  ModelConfig model = tiny(Form::EncoderDecoder, "post_ln");
  model.dropout = 0.1;
  model.attention_dropout = 0.2;
  model.activation_dropout = 0.3;
  expect_right_gradients(model, {.training = true, .seed = 5, .step = 3});
}

TEST(Gradients, OfTiedEmbeddingsAddUp) {
  ModelConfig model = tiny(Form::EncoderDecoder, "b2t");
  model.share_all_embeddings = true;
  model.source_vocab = model.target_vocab;
  model.positions = Positions::Learned;
  model.layernorm_embedding = true;
  model.embedding_gain = EmbeddingGain::Vector;
  expect_right_gradients(model);
}

}  // namespace
}  // namespace plumb::test
