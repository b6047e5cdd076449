#include "plumb/catalogue/initialisation.h"

#include <cmath>

namespace plumb {
namespace {

constexpr double kGptSigma = 0.02;

// The standard deviation of a unit normal cut at 3 sigma: sqrt(1 - 2 * 3 * phi(3) / (2 Phi(3) - 1)).
constexpr double kCutAtThree = 0.98657839;

Fill zero() {
  return {};
}
Fill uniform(double bound) {
  return {.kind = Fill::Kind::Uniform, .value = bound};
}
Fill normal(double sigma) {
  return {.kind = Fill::Kind::Normal, .value = sigma};
}
Fill xavier_uniform(int fan_out, int fan_in) {
  return uniform(std::sqrt(6.0 / (fan_out + fan_in)));
}
Fill xavier_normal(int fan_out, int fan_in) {
  return normal(std::sqrt(2.0 / (fan_out + fan_in)));
}
Fill linear_default(int fan_in) {
  return uniform(1 / std::sqrt(fan_in));
}

bool is_qkv(Role role) {
  return role == Role::Query || role == Role::Key || role == Role::Value;
}
bool is_qkv_bias(Role role) {
  return role == Role::QueryBias || role == Role::KeyBias || role == Role::ValueBias;
}
bool is_ffn_bias(Role role) {
  return role == Role::HiddenInBias || role == Role::HiddenOutBias;
}
bool is_bias(Role role) {
  return is_qkv_bias(role) || is_ffn_bias(role) || role == Role::AttentionOutputBias;
}
bool is_table(Role role) {
  return role == Role::Embedding || role == Role::Position || role == Role::OutputProjection;
}

// fairseq <= 0.8 draws q, k and v as one [3d, d] matrix; later versions keep its variance by a gain of 1/sqrt(2).
Fill fused_xavier(int width) {
  return xavier_uniform(3 * width, width);
}

Fill fairseq_fill(Regime regime, Role role, int fan_out, int fan_in) {
  if (is_qkv(role)) return fused_xavier(fan_in);
  if (role == Role::AttentionOutput) return xavier_uniform(fan_out, fan_in);
  if (is_qkv_bias(role)) return regime == Regime::A ? zero() : linear_default(fan_in);
  if (role == Role::AttentionOutputBias) return zero();
  // the feed-forward part
  if (regime == Regime::C) return linear_default(fan_in);
  return is_bias(role) ? zero() : xavier_uniform(fan_out, fan_in);
}

// Xiong et al. 3.3: attention starts as the mean over positions, every other matrix is N(0, 1/d).
Fill theory_fill(Role role, int fan_in) {
  if (is_bias(role) || role == Role::Query || role == Role::Key) return zero();
  return normal(1 / std::sqrt(fan_in));
}

// The two matrices that write into the residual stream are smaller, since 2L of them add up.
Fill gpt_fill(Role role, const Place& place) {
  if (is_bias(role)) return zero();
  const bool writes = role == Role::AttentionOutput || role == Role::HiddenOut;
  return normal(writes ? kGptSigma / std::sqrt(2.0 * place.depth()) : kGptSigma);
}

Fill weight_fill(Regime regime, Role role, const Place& place, int fan_out, int fan_in) {
  switch (regime) {
    case Regime::A:
    case Regime::B:
    case Regime::C:
      return fairseq_fill(regime, role, fan_out, fan_in);
    case Regime::D:
      return linear_default(fan_in);
    case Regime::T:
      return theory_fill(role, fan_in);
    case Regime::G:
      return gpt_fill(role, place);
    case Regime::X:
      return is_bias(role) ? zero() : xavier_normal(fan_out, fan_in);
  }
  return zero();
}

}  // namespace

double Fill::standard_deviation() const {
  switch (kind) {
    case Kind::Constant:
      return 0;
    case Kind::Uniform:
      return value / std::sqrt(3.0);
    case Kind::Normal:
      return value;
    case Kind::TruncatedNormal:
      return value * kCutAtThree;
  }
  return 0;
}

Fill Fill::scaled(double factor) const {
  Fill result = *this;
  result.value *= factor;
  if (factor == 0) result.kind = Kind::Constant;
  return result;
}

Fill base_fill(Regime regime, Role role, const Place& place, int fan_out, int fan_in, bool truncated) {
  Fill fill;
  if (is_table(role)) {
    fill = normal(regime == Regime::G ? kGptSigma : 1 / std::sqrt(place.shape.width));
  } else {
    fill = weight_fill(regime, role, place, fan_out, fan_in);
  }
  if (truncated && fill.kind == Fill::Kind::Normal) fill.kind = Fill::Kind::TruncatedNormal;
  return fill;
}

Fill xavier_uniform(int64_t fan_out, int64_t fan_in) {
  return {.kind = Fill::Kind::Uniform, .value = std::sqrt(6.0 / static_cast<double>(fan_out + fan_in))};
}

std::string_view description(Regime regime) {
  switch (regime) {
    case Regime::A:
      return "fairseq <= 0.8, Admin: q, k, v as one fused Xavier matrix, the rest Xavier uniform, biases 0";
    case Regime::B:
      return "fairseq 0.9, T-Fixup: as A, q, k, v biases U(+-1/sqrt(d))";
    case Regime::C:
      return "fairseq since 2020-03, B2T: as B, feed-forward weights and biases U(+-1/sqrt(fan_in))";
    case Regime::D:
      return "torchscale: every weight and bias U(+-1/sqrt(fan_in))";
    case Regime::T:
      return "theory of Xiong et al. 2020: W_Q = W_K = 0, no W_O, W_V and a square FFN from N(0, 1/d)";
    case Regime::G:
      return "GPT-2, Megatron: N(0, 0.02), W_O and fc2 divided by sqrt(2L), biases 0";
    case Regime::X:
      return "DeepNet: Xavier normal with gain 1, biases 0";
  }
  return "";
}

}  // namespace plumb
