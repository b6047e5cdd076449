#include "plumb/ops/fused/residual.h"

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/residual.h"
#include "plumb/ops/fused/dropout.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/norm_gradients.h"

namespace plumb::ops {
namespace {

kernel::Gain kernel_gain(const Gain& gain, int64_t width) {
  if (!gain.learned.defined()) return {.value = static_cast<float>(gain.value)};
  const float* values = gain.learned.data_ptr<float>();
  return gain.learned.numel() == width && width > 1 ? kernel::Gain{.values = values} : kernel::Gain{.value = *values};
}

/// What points into the tensors of `terms`, and lives as long as they do.
struct KernelTerms {
  KernelTerms(const ResidualTerms& t, int64_t width) : key(dropout_key(t.dropout)) {
    if (t.norm) norm = norm_terms(t.norm->kind, t.norm->weights, t.norm->eps);
    terms = {.bias = data_or_null(t.bias),
             .dropout = t.dropout.active() ? &key : nullptr,
             .r = kernel_gain(t.r, width),
             .g = kernel_gain(t.g, width),
             .beta = static_cast<float>(t.beta),
             .alpha = static_cast<float>(t.alpha),
             .norm = t.norm ? &norm : nullptr};
  }
  KernelTerms(const KernelTerms&) = delete;
  KernelTerms& operator=(const KernelTerms&) = delete;

  kernel::DropoutKey key;
  kernel::NormTerms norm;
  kernel::ResidualTerms terms;
};

enum Edge : size_t { F, Bias, X, Bottom, R, G, NormWeight, NormBias, NormAlpha };

struct ResidualBackward : FusedNode {
  ResidualTerms t;  // f only if g is learned, x only if r is
  at::Tensor saved, mean, rstd;
  kernel::NormSide side{};
  int64_t width = 0;

  variable_list backward(const variable_list& outputs) override;

  void release_variables() override { t = {}, saved.reset(), mean.reset(), rstd.reset(); }

  at::Tensor room_for(Edge edge, const at::Tensor& like) {
    return task_should_compute_output(edge) ? at::empty_like(like) : at::Tensor();
  }
};

float* room(const at::Tensor& x) {
  return x.defined() ? x.data_ptr<float>() : nullptr;
}

variable_list ResidualBackward::backward(const variable_list& outputs) {
  const PartScope scope(StepPart::Residual);
  const at::Tensor dy = outputs[0].contiguous();
  const int64_t rows = dy.size(0);
  const KernelTerms own(t, width);
  const at::Tensor df = room_for(F, dy), dx = room_for(X, dy), dbottom = room_for(Bottom, dy);
  const ParameterGradient dbias(t.bias, task_should_compute_output(Bias)),
      dr(t.r.learned, task_should_compute_output(R)), dg(t.g.learned, task_should_compute_output(G));
  // The sums of a chunk: bias, r, g, and what the norm has.
  const int64_t at_r = width, at_g = 2 * width, at_norm = 3 * width;
  const NormWeightGradients norm(t.norm ? t.norm->weights : NormWeights{}, at_norm,
                                 {task_should_compute_output(NormWeight), task_should_compute_output(NormBias),
                                  task_should_compute_output(NormAlpha)});
  const RowChunks chunks = row_chunks(rows, width);
  const ChunkSums sums(chunks, at_norm + norm.width());
  // The kernel puts the gradient of the sum into one of its outputs, so it must have one.
  const at::Tensor spare = df.defined() || dx.defined() || dbottom.defined() ? at::Tensor() : at::empty_like(dy);
  const kernel::ResidualBackward call{.terms = own.terms,
                                      .names = t.rows.row_names(),
                                      .width = width,
                                      .side = side,
                                      .saved = data_or_null(saved),
                                      .stats = {room(mean), room(rstd)},
                                      .f = data_or_null(t.f),
                                      .x = data_or_null(t.x),
                                      .dy = dy.data_ptr<float>(),
                                      .df = spare.defined() ? room(spare) : room(df),
                                      .dx = room(dx),
                                      .dbottom = room(dbottom)};
  for_each_piece(chunks.count(), [&](int64_t chunk) {
    float* own_sums = sums.of_chunk(chunk);
    kernel::ResidualBackward one = call;
    one.gradients = {.bias = dbias ? own_sums : nullptr,
                     .r = dr ? own_sums + at_r : nullptr,
                     .g = dg ? own_sums + at_g : nullptr,
                     .norm = norm.of_chunk(own_sums)};
    kernel::residual_backward(one, chunks.begin(chunk), chunks.end(chunk));
  });
  if (dbias) sums.add_to(dbias.data(), 0, width);
  if (dr) sums.add_to(dr.data(), at_r, t.r.learned.numel());
  if (dg) sums.add_to(dg.data(), at_g, t.g.learned.numel());
  norm.add(sums);
  return {df,          dbias.for_autograd(), dx, dbottom, dr.for_autograd(), dg.for_autograd(), norm.weight(),
          norm.bias(), norm.alpha()};
}

}  // namespace

at::Tensor residual_fused(const ResidualTerms& terms) {
  const PartScope scope(StepPart::Residual);
  ResidualTerms t = terms;
  t.f = t.f.contiguous();
  t.x = contiguous_or_nothing(t.x);
  t.bottom = t.alpha != 0 ? contiguous_or_nothing(t.bottom) : at::Tensor();
  const int64_t rows = t.f.size(0), width = t.f.size(1);
  const NormWeights weights = t.norm ? t.norm->weights : NormWeights{};
  const bool learns =
      wants_gradient(t.f, t.bias, t.x, t.bottom, t.r.learned, t.g.learned, weights.weight, weights.bias, weights.alpha);
  const KernelTerms own(t, width);
  const bool from_output = t.norm && kernel::norm_is_invertible(own.norm, width);
  at::Tensor y = at::empty_like(t.f), z, mean, rstd;
  if (learns && t.norm) {
    if (!from_output) z = at::empty_like(t.f);
    mean = at::empty({rows}, t.f.options());
    rstd = at::empty({rows}, t.f.options());
  }
  const kernel::ResidualForward call{.terms = own.terms,
                                     .names = t.rows.row_names(),
                                     .width = width,
                                     .f = t.f.data_ptr<float>(),
                                     .x = data_or_null(t.x),
                                     .bottom = data_or_null(t.bottom),
                                     .z = t.norm ? room(z) : y.data_ptr<float>(),
                                     .y = t.norm ? y.data_ptr<float>() : nullptr,
                                     .stats = {room(mean), room(rstd)}};
  for_each_chunk(row_chunks(rows, width),
                 [&](int64_t begin, int64_t end) { kernel::residual_forward(call, begin, end); });
  if (!learns) return y;

  const auto node = make_node<ResidualBackward>(t.f, t.bias, t.x, t.bottom, t.r.learned, t.g.learned, weights.weight,
                                                weights.bias, weights.alpha);
  const auto learned = [](const Gain& gain) { return gain.learned.defined() && gain.learned.requires_grad(); };
  node->width = width;
  node->side = from_output ? kernel::NormSide::Output : kernel::NormSide::Input;
  if (t.norm) node->saved = from_output ? detached(y) : z;
  node->mean = mean;
  node->rstd = rstd;
  node->t = t;
  if (!learned(t.g)) node->t.f.reset();
  if (!learned(t.r)) node->t.x.reset();
  node->t.bottom.reset();
  torch::autograd::set_history(y, node);
  return y;
}

}  // namespace plumb::ops
