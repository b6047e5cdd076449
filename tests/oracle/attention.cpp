#include "oracle/attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "oracle/matrix.h"
#include "oracle/norm.h"

namespace oracle {
namespace {

class Attention {
 public:
  Attention(const Context& context, const std::string& name, const AttentionOptions& options)
      : context_(context),
        name_(name),
        options_(options),
        width_(context.width()),
        heads_(static_cast<std::size_t>(context.config.heads)),
        head_width_(width_ / heads_) {}

  Matrix forward(const Matrix& queries, const Matrix& memory) const {
    const Matrix value_input = options_.value_divisor == nullptr ? memory : divided(memory, *options_.value_divisor);
    const Matrix q = query_or_key_norm("q_norm", project("q_proj", queries));
    const Matrix k = query_or_key_norm("k_norm", project("k_proj", memory));
    const Matrix v = value_norm(project("v_proj", value_input));
    Matrix joined(queries.size(), Row(width_, 0.0));
    for (std::size_t h = 0; h < heads_; ++h) attend(h, q, k, v, &joined);

    const bool scale_late = context_.is(Bug::NormformerHeadScaleAfterOutProj);
    if (options_.head_scale && !scale_late) joined = scale_heads(joined);
    if (!options_.inner_norm.empty()) joined = normalise(context_, options_.norm_kind, options_.inner_norm, joined);
    Matrix output = context_.config.output_projection ? project("out_proj", joined) : joined;
    if (options_.head_scale && scale_late) output = scale_heads(output);
    return output;
  }

 private:
  // Heads are contiguous blocks of features.
  std::size_t feature(std::size_t head, std::size_t i) const {
    return context_.is(Bug::HeadsInterleaved) ? i * heads_ + head : head * head_width_ + i;
  }

  Row head_of(const Row& row, std::size_t head) const {
    Row part(head_width_);
    for (std::size_t i = 0; i < head_width_; ++i) part[i] = row[feature(head, i)];
    return part;
  }

  void put_head(const Row& part, std::size_t head, Row* row) const {
    for (std::size_t i = 0; i < head_width_; ++i) (*row)[feature(head, i)] = part[i];
  }

  Matrix project(const std::string& which, const Matrix& x) const {
    const std::string full = name_ + "." + which;
    const Row* bias = options_.biases ? context_.weights.find(full + ".bias", width_) : nullptr;
    return linear(x, context_.weights.at(full + ".weight", width_ * width_), bias);
  }

  static Matrix divided(const Matrix& x, const Row& divisor) {
    Row inverse;
    for (double value : divisor) inverse.push_back(1.0 / value);
    return times_features(x, inverse);
  }

  Matrix rms_per_head(const Row& weight, const Matrix& x) const {
    Matrix y = x;
    for (Row& row : y) {
      for (std::size_t h = 0; h < heads_; ++h) {
        put_head(rms_norm(head_of(row, h), weight, kRmsNormEpsilon, context_.bug), h, &row);
      }
    }
    return y;
  }

  // mathematics.md 4.7: before the product, on queries and projected memory keys alike.
  Matrix query_or_key_norm(const std::string& which, const Matrix& x) const {
    if (options_.qk_norm == "none") return x;
    if (options_.qk_norm == "l2") return l2_per_head(x);
    const std::string full = name_ + "." + which + ".weight";
    if (options_.qk_norm == "head") return rms_per_head(context_.weights.at(full, head_width_), x);
    if (options_.qk_norm != "full") throw std::invalid_argument("oracle: unknown qk_norm " + options_.qk_norm);
    const Row& weight = context_.weights.at(full, width_);
    Matrix y;
    for (const Row& row : x) y.push_back(rms_norm(row, weight, kRmsNormEpsilon, context_.bug));
    if (context_.is(Bug::QkNormFullPerHead)) y = times_features(rms_per_head(Row(head_width_, 1.0), x), weight);
    return y;
  }

  Matrix l2_per_head(const Matrix& x) const {
    Matrix y = x;
    for (Row& row : y) {
      for (std::size_t h = 0; h < heads_; ++h) {
        Row part = head_of(row, h);
        const double length = std::max(std::sqrt(dot(part, part)), 1e-12);
        for (double& value : part) value /= length;
        put_head(part, h, &row);
      }
    }
    return y;
  }

  Matrix value_norm(const Matrix& v) const {
    if (!options_.value_norm || context_.is(Bug::HybridNormValueNormMissing)) return v;
    return rms_per_head(context_.weights.at(name_ + ".v_norm.weight", head_width_), v);
  }

  double logit_scale() const {
    const double by_width = 1.0 / std::sqrt(static_cast<double>(width_));
    const double by_head = 1.0 / std::sqrt(static_cast<double>(head_width_));
    if (options_.qk_norm == "l2") {
      const double learned = context_.weights.at(name_ + ".qk_scale", 1)[0];
      return context_.is(Bug::QkNormL2AlsoDivided) ? learned * by_head : learned;
    }
    return context_.is(Bug::HeadScaleByWidth) ? by_width : by_head;
  }

  // softmax(q k^T / sqrt(d_k) + mask) v of one head; masked keys are simply not enumerated.
  void attend(std::size_t h, const Matrix& q, const Matrix& k, const Matrix& v, Matrix* joined) const {
    const double scale = logit_scale();
    const std::size_t ahead = context_.is(Bug::CausalMaskOffByOne) ? 2 : 1;
    for (std::size_t t = 0; t < q.size(); ++t) {
      const std::size_t visible = options_.causal ? std::min(t + ahead, k.size()) : k.size();
      Row scores;
      for (std::size_t s = 0; s < visible; ++s) scores.push_back(scale * dot(head_of(q[t], h), head_of(k[s], h)));
      const Row p = softmax(scores);
      Row mixed(head_width_, 0.0);
      for (std::size_t s = 0; s < visible; ++s) {
        for (std::size_t i = 0; i < head_width_; ++i) mixed[i] += p[s] * v[s][feature(h, i)];
      }
      put_head(mixed, h, &(*joined)[t]);
    }
  }

  Matrix scale_heads(const Matrix& x) const {
    const Row& scale = context_.weights.at(name_ + ".c_attn", heads_);
    Matrix y = x;
    for (Row& row : y) {
      for (std::size_t h = 0; h < heads_; ++h) {
        for (std::size_t i = 0; i < head_width_; ++i) row[feature(h, i)] *= scale[h];
      }
    }
    return y;
  }

  const Context& context_;
  const std::string name_;
  const AttentionOptions& options_;
  const std::size_t width_, heads_, head_width_;
};

}  // namespace

Matrix attention(const Context& context, const std::string& name, const Matrix& queries, const Matrix& memory,
                 const AttentionOptions& options) {
  return Attention(context, name, options).forward(queries, memory);
}

}  // namespace oracle
