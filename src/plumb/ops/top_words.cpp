#include "plumb/ops/top_words.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/memory/where.h"
#include "plumb/ops/fused/best_words.h"
#include "plumb/ops/fused/top_words.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

TopWords reference(const at::Tensor& logits, int64_t count, int64_t chosen) {
  const at::Tensor log_p = logits.to(at::kCPU, at::kDouble).log_softmax(-1).contiguous();
  const double* scores = cpu_numbers<double>(log_p).data();
  TopWords result = no_words(log_p.size(0), std::min(count, log_p.size(1)));
  BestWords<double> best(result.count);
  for (int64_t row = 0; row < log_p.size(0); ++row) {
    const double* own = scores + row * log_p.size(1);
    best.find(own, log_p.size(1));
    write_row(result, row, best, /*log_sum=*/0, own[chosen]);
  }
  return result;
}

}  // namespace

TopWords top_words(const at::Tensor& logits, int64_t count, int64_t chosen) {
  return reference(logits, count, chosen);
}

TopWords projected_top_words(const at::Tensor& features, const at::Tensor& weight, int64_t count, int64_t chosen) {
  const at::NoGradGuard no_grad;
  if (takes_fused_path(features)) return projected_top_words_fused(features, weight, count, chosen);
  return reference(at::mm(features, weight.t()), count, chosen);
}

}  // namespace plumb::ops
